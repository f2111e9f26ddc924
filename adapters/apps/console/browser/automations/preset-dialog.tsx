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
import { type AutomationSetup, pickLanguageSources, stampCards } from "./automation-setup.js";
import type { PresetKind } from "./preset-kind.js";
import {
  awayFilter,
  defaultValues,
  needsCard,
  type PresetValues,
  toAutomation,
  withContent,
} from "./presets.js";

const TRIES = 20;

/** Normalizes a name for comparison: names that differ only in case or punctuation have the same slug. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

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
    return defaultValues(kind, templateId, pickPresetLanguage(pickLanguageSources(setup, templateId)));
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

/**
 * Error messages for a preset's form, keyed by form field. Errors in the preset's message are keyed by their path within that
 * message.
 */
type PresetErrors = Readonly<Record<string, string>>;

const isWhole = (typed: string) => /^\d+$/.test(typed.trim());

/** Returns error messages for fields that are missing or invalid. The form can be saved only if there are none. */
function findMissingFields(
  kind: PresetKind,
  { content, toGo, waits, stamps, key, at, days }: PresetValues,
): PresetErrors {
  const lacks = (isSo: boolean, field: string, words: string) => (isSo ? { [field]: words } : {});
  const hasCard = content.templateId !== "";
  return {
    ...lacks(kind === "nearlyFull" && !isWhole(toGo), "toGo", ready.number),
    ...lacks(kind === "reward" && !isWhole(waits), "waits", ready.number),
    ...lacks(kind === "welcome" && hasCard && !isWhole(stamps), "stamps", ready.number),
    ...lacks(kind === "birthday" && key.trim() === "", "key", ready.text),
    ...lacks(kind === "birthday" && at === "", "at", ready.text),
    ...lacks(kind === "winBack" && !isWhole(days), "days", ready.number),
    ...lacks(needsCard(kind) && !hasCard, "templateId", ready.needsCard),
  };
}

/** Maps the API's error paths to form fields. */
const fieldsByPath: readonly (readonly [path: RegExp, field: string])[] = [
  [/^on\.toGo$/, "toGo"],
  [/^after$|^per\.everyDays$/, "waits"],
  [/^do\.\d+\.addStamps\.count$/, "stamps"],
  [/^on\.date\.metadata/, "key"],
  [/^on\.date\.at$/, "at"],
  [/^filter\b|beforeDays$/, "days"],
];

/** Converts an API error to error messages for the preset's form. */
function toFieldErrors({ fields, missing }: CallError): PresetErrors {
  if (missing === "template") return { templateId: ready.gone };
  const named = Object.entries(fields).map(([path, words]) => {
    const field = fieldsByPath.find(([pattern]) => pattern.test(path))?.[1];
    return [field ?? path.replace(/^do\.\d+\.message\./, ""), words];
  });
  return Object.fromEntries(named);
}

/** Returns whether the form can show every error next to a field. */
const hasFieldForEach = (complaints: PresetErrors): boolean =>
  Object.keys(complaints).every((field) =>
    /^(name|templateId|channels|texts|link|toGo|waits|stamps|key|at|days)\b/.test(field),
  );

interface ReadyFieldsProps {
  readonly kind: PresetKind;
  readonly values: PresetValues;
  readonly segments: readonly Segment[];
  readonly errorOf: (field: string) => string | undefined;
  readonly onChange: (part: Partial<PresetValues>) => void;
}

/**
 * The form fields that differ between automation presets. Doesn't include the fields that all presets share: the name, the card,
 * and the texts.
 */
function PresetFields({ kind, values, segments, errorOf, onChange }: ReadyFieldsProps) {
  const hasCard = values.content.templateId !== "";
  const mayGive = hasCard && hasScopes("loyalty:manage");
  const counted = (name: "toGo" | "waits" | "stamps" | "days", label: string, hint: string) => (
    <CountField
      label={label}
      hint={hint}
      error={errorOf(name)}
      value={values[name]}
      onText={(typed) => onChange({ [name]: typed })}
    />
  );
  switch (kind) {
    case "welcome":
      return mayGive ? counted("stamps", ready.stamps, ready.stampsHint) : null;
    case "nearlyFull":
      return counted("toGo", ready.toGo, ready.toGoHint);
    case "reward":
      return counted("waits", ready.waits, ready.waitsHint);
    case "winBack":
      return (
        <>
          {counted("days", ready.days, ready.daysHint)}
          <p class="note">{segmentWords(values, segments)}</p>
        </>
      );
    case "birthday":
      return (
        <>
          <TextField
            label={ready.key}
            hint={ready.keyHint}
            error={errorOf("key")}
            autocomplete="off"
            spellcheck={false}
            value={values.key}
            onText={(key) => onChange({ key })}
          />
          <TextField
            label={ready.at}
            hint={ready.atHint}
            error={errorOf("at")}
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
function segmentWords(values: PresetValues, segments: readonly Segment[]): string {
  const found = awaySegment(values, segments);
  if (found === undefined) return ready.makeSegment(awayName(values, segments));
  return found.emitsEvents ? ready.useSegment(found.name) : ready.tellSegment(found.name);
}

/**
 * Finds an existing segment with the same filter as the win-back preset. If there are several, prefers one that emits events.
 * @returns the segment, or `undefined` if no segment has this filter.
 */
function awaySegment(values: PresetValues, segments: readonly Segment[]): Segment | undefined {
  const wanted = awayFilter(values);
  const same = segments.filter(({ filter }) => isSameJson(filter, wanted));
  return same.find(({ emitsEvents }) => emitsEvents) ?? same[0];
}

/** Returns a name for a new win-back segment, with a number appended if an existing segment has the same name. */
function awayName({ days }: PresetValues, segments: readonly Segment[]): string {
  const name = ready.segment(Number(days));
  const isFree = (wanted: string) => segments.every((segment) => plain(segment.name) !== plain(wanted));
  const names = [name, ...Array.from({ length: TRIES }, (_, at) => `${name} (${at + 2})`)];
  return names.find(isFree) ?? name;
}

/**
 * Finds the segment for the win-back preset, or creates it if it doesn't exist. Also makes the segment emit events, which the
 * automation requires. Repeated and concurrent calls resolve to the same segment.
 * @throws {CallError} if the segment can't be created or updated.
 */
async function ensureSegment(values: PresetValues): Promise<Segment> {
  for (let tried = 0; ; tried += 1) {
    const segments = await api.segments.list();
    const found = awaySegment(values, segments);
    if (found?.emitsEvents) return found;
    if (found !== undefined) return api.segments.update(found.slug, { emitsEvents: true });
    const name = awayName(values, segments);
    try {
      return await api.segments.create({ name, filter: awayFilter(values), emitsEvents: true });
    } catch (error) {
      // Another user has just created the same segment, or another segment with that name.
      const isTaken = error instanceof CallError && error.code === "segment_already_exists";
      if (!isTaken || tried >= TRIES) throw error;
    }
  }
}
