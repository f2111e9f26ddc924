import { useState } from "preact/hooks";
import type { Automation } from "../../../../src/resources/automation.js";
import { api } from "../api/calls.js";
import { ContentFields } from "../messages/content-fields.js";
import { channelsOf } from "../messages/edited-content.js";
import { TextsFields } from "../messages/texts-fields.js";
import { Button } from "../parts/button.js";
import { Dialog } from "../parts/dialog.js";
import { TextField } from "../parts/field.js";
import { readyLanguage } from "../parts/first-language.js";
import { useSaving } from "../parts/form.js";
import { Complaint } from "../parts/states.js";
import { ready, readyWords } from "../words/en/ready-automations.js";
import { ensuredSegment } from "./away-segment.js";
import { areShown, type Complaints, complaintsOf, unfinished } from "./ready-complaints.js";
import { ReadyFields } from "./ready-fields.js";
import type { ReadyKind } from "./ready-kind.js";
import { freshValues, madeOf, needsCard, withContent } from "./ready-made.js";
import { type AutomationSetup, languageOf, stampCards } from "./setup.js";

interface ReadyDialogProps {
  readonly kind: ReadyKind;
  readonly setup: AutomationSetup;
  readonly onClose: () => void;
  readonly onMade: (automation: Automation) => void;
}

/** The filled form of a ready automation, and the button that makes it. */
export function ReadyDialog({ kind, setup, onClose, onMade }: ReadyDialogProps) {
  const cards = stampCards(setup);
  const [values, setValues] = useState(() => {
    const templateId = cards[0]?.id ?? "";
    return freshValues(kind, templateId, readyLanguage(languageOf(setup, templateId)));
  });
  const [missing, setMissing] = useState<Complaints>({});
  const [hasSegment, setHasSegment] = useState(false);
  const { isBusy, error, save } = useSaving();
  const { content } = values;
  const wrong = error === null ? missing : { ...complaintsOf(error), ...missing };
  const errorOf = (path: string) => wrong[path];
  const make = async () => {
    const lacking = unfinished(kind, values);
    setMissing(lacking);
    if (Object.keys(lacking).length > 0) return;
    let segment = "";
    if (kind === "winBack") {
      segment = (await ensuredSegment(values)).slug;
      setHasSegment(true);
    }
    onMade(await api.automations.create(madeOf(kind, values, segment)));
  };
  const isBeside = error !== null && (Object.keys(wrong).length === 0 || !areShown(wrong));
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
      {needsCard(kind) && cards.length === 0 && <Complaint>{ready.needsCard}</Complaint>}
      <TextField
        label={ready.name}
        hint={ready.nameHint}
        error={errorOf("name")}
        autocomplete="off"
        value={values.name}
        onText={(name) => setValues({ ...values, name })}
      />
      <ReadyFields
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
        channels={channelsOf(content)}
        hasCard={content.templateId !== ""}
        errorOf={errorOf}
        onChange={(texts) => setValues(withContent(kind, values, { texts }))}
        onShow={() => {}}
      />
      {isBeside && <Complaint>{error.message}</Complaint>}
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
