import { useState } from "preact/hooks";
import type { Automation } from "../../../../../src/automations/schema.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import { CallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog } from "../components/dialog.js";
import { ErrorText } from "../components/feedback.js";
import { Check, CountField, TextField } from "../components/field.js";
import { pickPresetLanguage } from "../components/first-language.js";
import { useSave } from "../components/form.js";
import { listChannels } from "../messages/content-draft.js";
import { ContentFields } from "../messages/content-fields.js";
import { TextsFields } from "../messages/texts-fields.js";
import { isSameJson } from "../segments/leaf-values.js";
import { ready, readyWords } from "../words/en/ready-automations.js";
import { type AutomationSetup, listStampCards, pickLanguageSources } from "./automation-setup.js";
import type { PresetKind } from "./preset-texts.js";
import {
  buildAwayFilter,
  changeContent,
  createDefaultValues,
  needsCard,
  type PresetValues,
  toAutomation,
} from "./presets.js";

const MAX_ATTEMPTS = 20;

/** Normalizes a name for comparison: names that differ only in case or punctuation have the same slug. */
const normalizeName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

export interface PresetDialogProps {
  readonly kind: PresetKind;
  readonly setup: AutomationSetup;
  readonly onClose: () => void;
  readonly onCreated: (automation: Automation) => void;
}

/** A dialog with a prefilled form for an automation preset. Submitting the form creates the automation. */
export function PresetDialog({ kind, setup, onClose, onCreated }: PresetDialogProps) {
  const cards = listStampCards(setup);
  const [values, setValues] = useState(() => {
    const templateId = cards[0]?.id ?? "";
    return createDefaultValues(kind, templateId, pickPresetLanguage(pickLanguageSources(setup, templateId)));
  });
  const [missing, setMissing] = useState<PresetErrors>({});
  const [hasSegment, setHasSegment] = useState(false);
  const { isBusy, error, save } = useSave();
  const { content } = values;
  const fieldErrors = error === null ? missing : { ...toFieldErrors(error), ...missing };
  const findError = (path: string) => fieldErrors[path];
  const createAutomation = async () => {
    const newMissing = findMissingFields(kind, values);
    setMissing(newMissing);
    if (Object.keys(newMissing).length > 0) return;
    let segment = "";
    if (kind === "winBack") {
      segment = (await ensureSegment(values)).slug;
      setHasSegment(true);
    }
    onCreated(await api.automations.create(toAutomation(kind, values, segment)));
  };
  const isFormError =
    error !== null && (Object.keys(fieldErrors).length === 0 || !hasFieldForEach(fieldErrors));
  return (
    <Dialog
      title={readyWords[kind][0]}
      isWide
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        void save(createAutomation);
      }}
    >
      <p class="quiet">{readyWords[kind][1]}</p>
      {needsCard(kind) && cards.length === 0 && <ErrorText>{ready.needsCard}</ErrorText>}
      <TextField
        label={ready.name}
        hint={ready.nameHint}
        error={findError("name")}
        autocomplete="off"
        value={values.name}
        onText={(name) => setValues({ ...values, name })}
      />
      <PresetFields
        kind={kind}
        values={values}
        segments={setup.segments}
        findError={findError}
        onChange={(part) => setValues({ ...values, ...part })}
      />
      <ContentFields
        draft={content}
        templates={cards}
        needsCard={needsCard(kind)}
        findError={findError}
        onChange={(part) => setValues(changeContent(kind, values, part))}
      />
      <TextsFields
        texts={content.texts}
        channels={listChannels(content)}
        hasCard={content.templateId !== ""}
        findError={findError}
        onChange={(texts) => setValues(changeContent(kind, values, { texts }))}
        onShow={() => {}}
      />
      {isFormError && <ErrorText>{error.message}</ErrorText>}
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

/**
 * Error messages for a preset's form, keyed by form field. Errors in the preset's message are keyed by their path within that
 * message.
 */
type PresetErrors = Readonly<Record<string, string>>;

const isWholeNumber = (text: string) => /^\d+$/.test(text.trim());

/** Returns error messages for fields that are missing or invalid. The form can be saved only if there are none. */
function findMissingFields(
  kind: PresetKind,
  { content, toGo, waitDays, stamps, key, at, days }: PresetValues,
): PresetErrors {
  const check = (isMissing: boolean, field: string, words: string) => (isMissing ? { [field]: words } : {});
  const hasCard = content.templateId !== "";
  return {
    ...check(kind === "nearlyFull" && !isWholeNumber(toGo), "toGo", ready.number),
    ...check(kind === "reward" && !isWholeNumber(waitDays), "waitDays", ready.number),
    ...check(kind === "welcome" && hasCard && !isWholeNumber(stamps), "stamps", ready.number),
    ...check(kind === "birthday" && key.trim() === "", "key", ready.text),
    ...check(kind === "birthday" && at === "", "at", ready.text),
    ...check(kind === "winBack" && !isWholeNumber(days), "days", ready.number),
    ...check(needsCard(kind) && !hasCard, "templateId", ready.needsCard),
  };
}

/** Maps the API's error paths to form fields. */
const fieldsByPath: readonly (readonly [path: RegExp, field: string])[] = [
  [/^on\.toGo$/, "toGo"],
  [/^after$|^per\.everyDays$/, "waitDays"],
  [/^do\.\d+\.addStamps\.count$/, "stamps"],
  [/^on\.date\.metadata/, "key"],
  [/^on\.date\.at$/, "at"],
  [/^filter\b|beforeDays$/, "days"],
];

/** Converts an API error to error messages for the preset's form. */
function toFieldErrors({ fields, missingResource }: CallError): PresetErrors {
  if (missingResource === "template") return { templateId: ready.gone };
  const namedErrors = Object.entries(fields).map(([path, words]) => {
    const field = fieldsByPath.find(([pattern]) => pattern.test(path))?.[1];
    return [field ?? path.replace(/^do\.\d+\.message\./, ""), words];
  });
  return Object.fromEntries(namedErrors);
}

/** Returns whether the form can show every error next to a field. */
const hasFieldForEach = (errors: PresetErrors): boolean =>
  Object.keys(errors).every((field) =>
    /^(name|templateId|channels|texts|link|toGo|waitDays|stamps|key|at|days)\b/.test(field),
  );

interface PresetFieldsProps {
  readonly kind: PresetKind;
  readonly values: PresetValues;
  readonly segments: readonly Segment[];
  readonly findError: (field: string) => string | undefined;
  readonly onChange: (part: Partial<PresetValues>) => void;
}

/**
 * The form fields that differ between automation presets. Doesn't include the fields that all presets share: the name, the card,
 * and the texts.
 */
function PresetFields({ kind, values, segments, findError, onChange }: PresetFieldsProps) {
  const hasCard = values.content.templateId !== "";
  const mayGive = hasCard && hasScopes("loyalty:manage");
  const renderCountField = (name: "toGo" | "waitDays" | "stamps" | "days", label: string, hint: string) => (
    <CountField
      label={label}
      hint={hint}
      error={findError(name)}
      value={values[name]}
      onText={(text) => onChange({ [name]: text })}
    />
  );
  switch (kind) {
    case "welcome":
      return mayGive ? renderCountField("stamps", ready.stamps, ready.stampsHint) : null;
    case "nearlyFull":
      return renderCountField("toGo", ready.toGo, ready.toGoHint);
    case "reward":
      return renderCountField("waitDays", ready.waits, ready.waitsHint);
    case "winBack":
      return (
        <>
          {renderCountField("days", ready.days, ready.daysHint)}
          <p class="note">{describeSegment(values, segments)}</p>
        </>
      );
    case "birthday":
      return (
        <>
          <TextField
            label={ready.key}
            hint={ready.keyHint}
            error={findError("key")}
            autocomplete="off"
            spellcheck={false}
            value={values.key}
            onText={(key) => onChange({ key })}
          />
          <TextField
            label={ready.at}
            hint={ready.atHint}
            error={findError("at")}
            type="time"
            value={values.at}
            onText={(at) => onChange({ at })}
          />
          {mayGive && (
            <Check
              isChecked={values.givesReward}
              hint={ready.rewardHint}
              onChange={(givesReward) => onChange({ givesReward })}
            >
              {ready.reward}
            </Check>
          )}
        </>
      );
  }
}

/** Describes the segment of customers to win back, and whether it will be created or changed. */
function describeSegment(values: PresetValues, segments: readonly Segment[]): string {
  const segment = findAwaySegment(values, segments);
  if (segment === undefined) return ready.makeSegment(createAwayName(values, segments));
  return segment.emitsEvents ? ready.useSegment(segment.name) : ready.makeSegmentReport(segment.name);
}

/**
 * Finds an existing segment with the same filter as the win-back preset. If there are several, prefers one that emits events.
 * @returns the segment, or `undefined` if no segment has this filter.
 */
function findAwaySegment(values: PresetValues, segments: readonly Segment[]): Segment | undefined {
  const wantedFilter = buildAwayFilter(values);
  const matches = segments.filter(({ filter }) => isSameJson(filter, wantedFilter));
  return matches.find(({ emitsEvents }) => emitsEvents) ?? matches[0];
}

/** Returns a name for a new win-back segment, with a number appended if an existing segment has the same name. */
function createAwayName({ days }: PresetValues, segments: readonly Segment[]): string {
  const name = ready.segment(Number(days));
  const isFree = (candidate: string) =>
    segments.every((segment) => normalizeName(segment.name) !== normalizeName(candidate));
  const names = [name, ...Array.from({ length: MAX_ATTEMPTS }, (_, index) => `${name} (${index + 2})`)];
  return names.find(isFree) ?? name;
}

/**
 * Finds the segment for the win-back preset, or creates it if it doesn't exist. Also makes the segment emit events, which the
 * automation requires. Repeated and concurrent calls resolve to the same segment.
 * @throws {CallError} if the segment can't be created or updated.
 */
async function ensureSegment(values: PresetValues): Promise<Segment> {
  for (let attempts = 0; ; attempts += 1) {
    const segments = await api.segments.list();
    const existingSegment = findAwaySegment(values, segments);
    if (existingSegment?.emitsEvents) return existingSegment;
    if (existingSegment !== undefined)
      return api.segments.update(existingSegment.slug, { emitsEvents: true });
    const name = createAwayName(values, segments);
    try {
      return await api.segments.create({ name, filter: buildAwayFilter(values), emitsEvents: true });
    } catch (error) {
      // Another user has just created the same segment, or another segment with that name.
      const isNameTaken = error instanceof CallError && error.code === "segment_already_exists";
      if (!isNameTaken || attempts >= MAX_ATTEMPTS) throw error;
    }
  }
}
