import { useState } from "preact/hooks";
import type { Automation } from "../../../../src/resources/automation.js";
import { api } from "../api/calls.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { TextField } from "../components/field.js";
import { presetLanguage } from "../components/first-language.js";
import { useSave } from "../components/form.js";
import { listChannels } from "../messages/content-draft.js";
import { ContentFields } from "../messages/content-fields.js";
import { TextsFields } from "../messages/texts-fields.js";
import { ready, readyWords } from "../words/en/ready-automations.js";
import { type AutomationSetup, pickLanguageSources, stampCards } from "./automation-setup.js";
import { ensureSegment } from "./away-segment.js";
import { findMissingFields, hasFieldForEach, type PresetErrors, toFieldErrors } from "./preset-errors.js";
import { PresetFields } from "./preset-fields.js";
import type { PresetKind } from "./preset-kind.js";
import { defaultValues, needsCard, toAutomation, withContent } from "./presets.js";

interface ReadyDialogProps {
  readonly kind: PresetKind;
  readonly setup: AutomationSetup;
  readonly onClose: () => void;
  readonly onMade: (automation: Automation) => void;
}

/** A dialog with a prefilled form for an automation preset. Submitting the form creates the automation. */
export function PresetDialog({ kind, setup, onClose, onMade }: ReadyDialogProps) {
  const cards = stampCards(setup);
  const [values, setValues] = useState(() => {
    const templateId = cards[0]?.id ?? "";
    return defaultValues(kind, templateId, presetLanguage(pickLanguageSources(setup, templateId)));
  });
  const [missing, setMissing] = useState<PresetErrors>({});
  const [hasSegment, setHasSegment] = useState(false);
  const { isBusy, error, save } = useSave();
  const { content } = values;
  const wrong = error === null ? missing : { ...toFieldErrors(error), ...missing };
  const errorOf = (path: string) => wrong[path];
  const make = async () => {
    const lacking = findMissingFields(kind, values);
    setMissing(lacking);
    if (Object.keys(lacking).length > 0) return;
    let segment = "";
    if (kind === "winBack") {
      segment = (await ensureSegment(values)).slug;
      setHasSegment(true);
    }
    onMade(await api.automations.create(toAutomation(kind, values, segment)));
  };
  const isBeside = error !== null && (Object.keys(wrong).length === 0 || !hasFieldForEach(wrong));
  return (
    <Dialog
      title={readyWords[kind][0]}
      isWide
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        void save(make);
      }}
    >
      <p class="quiet">{readyWords[kind][1]}</p>
      {needsCard(kind) && cards.length === 0 && <ErrorText>{ready.needsCard}</ErrorText>}
      <TextField
        label={ready.name}
        hint={ready.nameHint}
        error={errorOf("name")}
        autocomplete="off"
        value={values.name}
        onText={(name) => setValues({ ...values, name })}
      />
      <PresetFields
        kind={kind}
        values={values}
        segments={setup.segments}
        errorOf={errorOf}
        onChange={(part) => setValues({ ...values, ...part })}
      />
      <ContentFields
        edited={content}
        templates={cards}
        needsCard={needsCard(kind)}
        errorOf={errorOf}
        onChange={(part) => setValues(withContent(kind, values, part))}
      />
      <TextsFields
        texts={content.texts}
        channels={listChannels(content)}
        hasCard={content.templateId !== ""}
        errorOf={errorOf}
        onChange={(texts) => setValues(withContent(kind, values, { texts }))}
        onShow={() => {}}
      />
      {isBeside && <ErrorText>{error.message}</ErrorText>}
      {error !== null && hasSegment && <p class="note">{ready.segmentMade}</p>}
      <div class="actions">
        <Button text={ready.cancel} onClick={onClose} />
        <Button
          text={ready.make}
          kind="primary"
          type="submit"
          disabled={isBusy || (needsCard(kind) && cards.length === 0)}
        />
      </div>
    </Dialog>
  );
}
