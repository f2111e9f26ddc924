import { useState } from "preact/hooks";
import type { Automation } from "../../../../../src/automations/schema.js";
import type { CallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { navigateNow } from "../app/router.js";
import { PageHead } from "../app/screen.js";
import { UnsavedChanges } from "../app/unsaved.js";
import { Button } from "../components/button.js";
import { ErrorText, Loading } from "../components/feedback.js";
import { CountField, Field, Select, TextField } from "../components/field.js";
import { pickDefaultLanguage } from "../components/first-language.js";
import { useSave } from "../components/form.js";
import { useLoad } from "../components/load.js";
import { showToast } from "../components/toasts.js";
import type { Group } from "../segments/filter-tree.js";
import { loadBuilder } from "../segments/load-builder.js";
import { oftens, editor as words } from "../words/en/automation-editor.js";
import { ActionsFields } from "./action-fields.js";
import {
  type AutomationDraft,
  createAutomationDraft,
  findMissingFields,
  fromAutomationDraft,
  toAutomationDraft,
} from "./automation-draft.js";
import { type AutomationSetup, listStampCards, pickLanguageSources } from "./automation-setup.js";
import { type EditorProps, TriggerFields } from "./trigger-fields.js";

interface AutomationEditorProps {
  /** The automation to edit, or `null` to create one. */
  readonly saved: Automation | null;
  readonly setup: AutomationSetup;
}

export function AutomationEditor({ saved, setup }: AutomationEditorProps) {
  const [initialDraft] = useState(() => {
    const templateId = listStampCards(setup)[0]?.id ?? "";
    const language = pickDefaultLanguage(pickLanguageSources(setup, templateId));
    return saved === null ? createAutomationDraft(templateId, language) : toAutomationDraft(saved, language);
  });
  const [draft, setDraft] = useState(initialDraft);
  const [missing, setMissing] = useState<Readonly<Record<string, string>>>({});
  const [isDone, setDone] = useState(false);
  const { isBusy, error, save } = useSave();
  const savedAutomation = fromAutomationDraft(initialDraft);
  const changes = Object.entries(fromAutomationDraft(draft)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(savedAutomation, name)),
  );
  const fieldErrors = { ...(error === null ? {} : error.fields), ...missing };
  const findError = (path: string) => fieldErrors[path];
  const change = (part: Partial<AutomationDraft>) => setDraft((latest) => ({ ...latest, ...part }));
  const saveAutomation = async () => {
    const newMissing = findMissingFields(draft);
    setMissing(newMissing);
    if (Object.keys(newMissing).length > 0) return;
    const { id, name } =
      saved === null
        ? await api.automations.create(fromAutomationDraft(draft))
        : await api.automations.update(saved.id, Object.fromEntries(changes));
    setDone(true);
    showToast(saved === null ? words.made(name) : words.saved);
    navigateNow(`/automations/${encodeURIComponent(id)}`);
  };
  return (
    <form
      class="stack compose automation-editor"
      aria-label={saved === null ? words.fresh : words.changeTitle(saved.name)}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(saveAutomation);
      }}
    >
      <UnsavedChanges isDirty={!isDone && (changes.length > 0 || draft.tree !== initialDraft.tree)} />
      <PageHead title={saved === null ? words.fresh : words.changeTitle(saved.name)}>
        <div class="row compose-actions">
          <Button
            type="submit"
            kind="primary"
            text={saved === null ? words.make : words.save}
            disabled={isBusy || (saved !== null && changes.length === 0 && draft.tree === initialDraft.tree)}
          />
        </div>
      </PageHead>
      {error !== null && <ErrorText>{describeFailure(error)}</ErrorText>}
      {error === null && Object.keys(missing).length > 0 && <ErrorText>{words.wrong}</ErrorText>}
      <section class="panel padded stack" aria-label={words.starts}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          error={findError("name")}
          autocomplete="off"
          value={draft.name}
          onText={(name) => change({ name })}
        />
        <h2>{words.starts}</h2>
        <TriggerFields
          trigger={draft.trigger}
          setup={setup}
          findError={findError}
          onChange={(part) => change({ trigger: { ...draft.trigger, ...part } })}
        />
        <CountField
          label={words.after}
          hint={words.afterHint}
          error={findError("after")}
          max={30}
          value={draft.after}
          onText={(after) => change({ after })}
        />
      </section>
      <ConditionFields
        tree={draft.tree}
        setup={setup}
        findError={findError}
        onChange={(changeTree) => setDraft((latest) => ({ ...latest, tree: changeTree(latest.tree) }))}
      />
      <ActionsFields
        actions={draft.actions}
        setup={setup}
        findError={findError}
        onChange={(changeActions) =>
          setDraft((latest) => ({ ...latest, actions: changeActions(latest.actions) }))
        }
      />
      <section class="panel padded stack" aria-label={words.often}>
        <h2>{words.often}</h2>
        <Field label={words.per} error={findError("per")}>
          <Select value={draft.frequency} choices={oftens} onChoose={(frequency) => change({ frequency })} />
        </Field>
        {draft.frequency === "everyDays" && (
          <CountField
            label={words.everyDays}
            error={findError("per.everyDays")}
            min={1}
            value={draft.everyDays}
            onText={(everyDays) => change({ everyDays })}
          />
        )}
      </section>
    </form>
  );
}

/** Returns whether the form shows a path's error next to its field. */
const isFieldVisible = (path: string) =>
  /^(name$|on\.(templateId|toGo|segmentEntered)$|on\.date\.(metadata|daysBefore|at)$|after$|per(\.everyDays)?$)|^do\.\d+\./.test(
    path,
  );

function describeFailure({ fields, missingResource, message }: CallError): string {
  const paths = Object.keys(fields);
  if (paths.length > 0 && paths.every(isFieldVisible)) return words.wrong;
  return missingResource === "template" || missingResource === "UserTag" ? words.gone : message;
}

interface ConditionFieldsProps extends EditorProps {
  readonly tree: Group;
  readonly onChange: (change: (tree: Group) => Group) => void;
}

/** Form fields for the filter that determines which customers an automation runs for. */
function ConditionFields({ tree, setup, findError, onChange }: ConditionFieldsProps) {
  const code = useLoad("builder", async (calls) => {
    const { FilterBuilder, loadFilterOptions, tagLists } = await loadBuilder();
    const lists = hasScopes("segment:read") ? await loadFilterOptions(calls) : tagLists(setup.tags);
    return { FilterBuilder, lists };
  });
  const filterError = findError("if");
  return (
    <section class="panel padded stack tight" aria-label={words.condition}>
      <h2>{words.condition}</h2>
      <p class="hint">{words.conditionHint}</p>
      <Loading data={code} height="9rem">
        {({ FilterBuilder, lists }) => <FilterBuilder tree={tree} lists={lists} onChange={onChange} />}
      </Loading>
      {filterError !== undefined && (
        <p class="field-error" role="alert">
          {filterError}
        </p>
      )}
    </section>
  );
}
