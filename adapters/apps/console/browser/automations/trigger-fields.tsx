import type { Template } from "../../../../../src/cards/schema.js";
import { CountField, Field, Select, TextField, toChoices } from "../components/field.js";
import { startKinds, editor as words } from "../words/en/automation-editor.js";
import type { TriggerDraft } from "./automation-draft.js";
import { type AutomationSetup, listPointCards, listStampCards } from "./automation-setup.js";

/** Props shared by all sections of the automation editor. */
export interface EditorProps {
  readonly setup: AutomationSetup;
  /** Returns the error message for a field's path within the automation, such as `on.toGo`, or `undefined` if there is none. */
  readonly findError: (path: string) => string | undefined;
}

interface TriggerFieldsProps extends EditorProps {
  readonly trigger: TriggerDraft;
  readonly onChange: (part: Partial<TriggerDraft>) => void;
}

/** The triggers that can't be limited to a card. */
const withoutCard: readonly TriggerDraft["kind"][] = [
  "user.created",
  "purchase.recorded",
  "segment",
  "date",
  "pointsExpiry",
];

export function TriggerFields({ trigger, setup, findError, onChange }: TriggerFieldsProps) {
  const { kind, templateId } = trigger;
  const hasCardField = !withoutCard.includes(kind);
  const changeKind = (newKind: TriggerDraft["kind"]) => {
    const isOffered = listTemplates(newKind, setup).some(({ id }) => id === templateId);
    onChange({ kind: newKind, ...(!isOffered && { templateId: "" }) });
  };
  return (
    <>
      <Field label={words.start}>
        <Select value={kind} choices={startKinds} onChoose={changeKind} />
      </Field>
      {hasCardField && (
        <Field label={words.card} error={findError("on.templateId")}>
          <Select
            value={templateId}
            choices={[["", words.anyCard], ...toChoices(listTemplates(kind, setup))]}
            onChoose={(id) => onChange({ templateId: id })}
          />
        </Field>
      )}
      {kind === "pointsExpiry" && (
        <Field label={words.card} hint={words.pointsExpiryHint} error={findError("on.date.pointsExpiry")}>
          <Select
            value={templateId}
            choices={[["", words.noCard], ...toChoices(listTemplates(kind, setup))]}
            onChoose={(id) => onChange({ templateId: id })}
          />
        </Field>
      )}
      {kind === "stamp.added" && (
        <CountField
          label={words.toGo}
          hint={words.toGoHint}
          error={findError("on.toGo")}
          min={1}
          value={trigger.toGo}
          onText={(toGo) => onChange({ toGo })}
        />
      )}
      {kind === "segment" && (
        <SegmentField
          trigger={trigger}
          setup={setup}
          error={findError("on.segmentEntered")}
          onChange={(segment) => onChange({ segment })}
        />
      )}
      {kind === "date" && (
        <TextField
          label={words.key}
          hint={words.keyHint}
          error={findError("on.date.metadata")}
          autocomplete="off"
          spellcheck={false}
          value={trigger.key}
          onText={(key) => onChange({ key })}
        />
      )}
      {(kind === "date" || kind === "pointsExpiry") && (
        <TimingFields trigger={trigger} findError={findError} onChange={onChange} />
      )}
    </>
  );
}

/** Returns the templates that a trigger can be limited to. */
function listTemplates(kind: TriggerDraft["kind"], setup: AutomationSetup): readonly Template[] {
  if (kind === "pointsExpiry") return listPointCards(setup);
  return kind.startsWith("stamp") ? listStampCards(setup) : setup.templates;
}

interface SegmentFieldProps {
  readonly trigger: TriggerDraft;
  readonly setup: AutomationSetup;
  readonly error: string | undefined;
  readonly onChange: (slug: string) => void;
}

function SegmentField({ trigger: { segment }, setup: { segments }, error, onChange }: SegmentFieldProps) {
  const eventSegments = segments.filter(({ slug, emitsEvents }) => emitsEvents || slug === segment);
  const isDeleted = segment !== "" && !eventSegments.some(({ slug }) => slug === segment);
  return (
    <Field label={words.segment} hint={words.segmentHint} error={error}>
      <Select
        value={segment}
        choices={[
          ["", words.noSegment],
          ...eventSegments.map(({ slug, name }) => [slug, name] as const),
          ...(isDeleted ? [[segment, segment] as const] : []),
        ]}
        onChoose={onChange}
      />
    </Field>
  );
}

function TimingFields({ trigger, findError, onChange }: Omit<TriggerFieldsProps, "setup">) {
  return (
    <div class="columns">
      <CountField
        label={words.daysBefore}
        hint={words.daysBeforeHint}
        error={findError("on.date.daysBefore")}
        max={60}
        value={trigger.daysBefore}
        onText={(daysBefore) => onChange({ daysBefore })}
      />
      <TextField
        label={words.at}
        error={findError("on.date.at")}
        type="time"
        value={trigger.at}
        onText={(at) => onChange({ at })}
      />
    </div>
  );
}
