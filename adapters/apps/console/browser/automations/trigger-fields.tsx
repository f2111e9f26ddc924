import type { Template } from "../../../../../src/cards/schema.js";
import { CountField, Field, Select, TextField, toChoices } from "../components/field.js";
import { startKinds, editor as words } from "../words/en/automation-editor.js";
import type { TriggerDraft } from "./automation-draft.js";
import { type AutomationSetup, stampCards } from "./automation-setup.js";

/** Props that all sections of the automation editor share. */
export interface EditorProps {
  readonly setup: AutomationSetup;
  /** Returns the error message for a field's path within the automation, such as `on.toGo`, or `undefined` if there is none. */
  readonly errorOf: (path: string) => string | undefined;
}

interface StartFieldsProps extends EditorProps {
  readonly start: TriggerDraft;
  readonly onChange: (part: Partial<TriggerDraft>) => void;
}

export function TriggerFields({ start, setup, errorOf, onChange }: StartFieldsProps) {
  const { kind, templateId } = start;
  const isOfCard = kind !== "user.created" && kind !== "segment" && kind !== "date";
  const choose = (chosen: TriggerDraft["kind"]) => {
    const isOffered = listTemplates(chosen, setup).some(({ id }) => id === templateId);
    onChange({ kind: chosen, ...(!isOffered && { templateId: "" }) });
  };
  return (
    <>
      <Field label={words.start}>
        <Select value={kind} choices={startKinds} onChoose={choose} />
      </Field>
      {isOfCard && (
        <Field label={words.card} error={errorOf("on.templateId")}>
          <Select
            value={templateId}
            choices={[["", words.anyCard], ...toChoices(listTemplates(kind, setup))]}
            onChoose={(id) => onChange({ templateId: id })}
          />
        </Field>
      )}
      {kind === "stamp.added" && (
        <CountField
          label={words.toGo}
          hint={words.toGoHint}
          error={errorOf("on.toGo")}
          min={1}
          value={start.toGo}
          onText={(toGo) => onChange({ toGo })}
        />
      )}
      {kind === "segment" && (
        <SegmentField
          start={start}
          setup={setup}
          error={errorOf("on.segmentEntered")}
          onChange={(segment) => onChange({ segment })}
        />
      )}
      {kind === "date" && <DateFields start={start} errorOf={errorOf} onChange={onChange} />}
    </>
  );
}

/** Returns the templates that a trigger can be limited to. */
function listTemplates(kind: TriggerDraft["kind"], setup: AutomationSetup): readonly Template[] {
  return kind.startsWith("stamp") ? stampCards(setup) : setup.templates;
}

interface SegmentFieldProps {
  readonly start: TriggerDraft;
  readonly setup: AutomationSetup;
  readonly error: string | undefined;
  readonly onChange: (slug: string) => void;
}

function SegmentField({ start: { segment }, setup: { segments }, error, onChange }: SegmentFieldProps) {
  const telling = segments.filter(({ slug, emitsEvents }) => emitsEvents || slug === segment);
  const isGone = segment !== "" && !telling.some(({ slug }) => slug === segment);
  return (
    <Field label={words.segment} hint={words.segmentHint} error={error}>
      <Select
        value={segment}
        choices={[
          ["", words.noSegment],
          ...telling.map(({ slug, name }) => [slug, name] as const),
          ...(isGone ? [[segment, segment] as const] : []),
        ]}
        onChoose={onChange}
      />
    </Field>
  );
}

function DateFields({ start, errorOf, onChange }: Omit<StartFieldsProps, "setup">) {
  return (
    <>
      <TextField
        label={words.key}
        hint={words.keyHint}
        error={errorOf("on.date.metadata")}
        autocomplete="off"
        spellcheck={false}
        value={start.key}
        onText={(key) => onChange({ key })}
      />
      <div class="columns">
        <CountField
          label={words.daysBefore}
          hint={words.daysBeforeHint}
          error={errorOf("on.date.daysBefore")}
          max={60}
          value={start.daysBefore}
          onText={(daysBefore) => onChange({ daysBefore })}
        />
        <TextField
          label={words.at}
          error={errorOf("on.date.at")}
          type="time"
          value={start.at}
          onText={(at) => onChange({ at })}
        />
      </div>
    </>
  );
}
