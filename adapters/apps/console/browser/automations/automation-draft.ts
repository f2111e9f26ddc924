import type { Automation, CreateAutomation } from "../../../../../src/automations/schema.js";
import { buildFilter, createGroup, type Group, isFinished, parseGroup } from "../segments/filter-tree.js";
import { formatKeys, parseKeys } from "../segments/leaf-values.js";
import { editor } from "../words/en/automation-editor.js";
import { incompleteFilter } from "../words/en/segment-conditions.js";
import {
  type ActionDraft,
  createActionDraft,
  type Frequency,
  fromActionDraft,
  type TriggerKind,
  toActionDraft,
} from "./action-draft.js";

type Trigger = Automation["on"];
/** A trigger in the editor. Numbers are strings, as the user typed them. */
export interface TriggerDraft {
  readonly kind: TriggerKind;
  /** The ID of the card that the trigger is limited to, or an empty string for all cards or until a card is selected. */
  readonly templateId: string;
  /** The trigger fires only when this many stamps are left until the card is full. An empty string means any number. */
  readonly toGo: string;
  /** The segment's slug, or an empty string until a segment is selected. */
  readonly segment: string;
  readonly key: string;
  readonly daysBefore: string;
  readonly at: string;
}

/** An automation in the editor. Numbers are strings, as the user typed them. */
export interface AutomationDraft {
  readonly name: string;
  readonly trigger: TriggerDraft;
  /** The filter that customers must match. If it is empty, the automation runs for every customer. */
  readonly tree: Group;
  readonly after: string;
  readonly actions: readonly ActionDraft[];
  readonly frequency: Frequency;
  readonly everyDays: string;
}

const emptyTrigger: TriggerDraft = {
  kind: "stamp_card.completed",
  templateId: "",
  toGo: "",
  segment: "",
  key: "birthday",
  daysBefore: "0",
  at: "09:00",
};

/**
 * Creates a draft of an automation with a single action, which sends a message.
 * @param templateId the ID of the card that is selected initially, or an empty string for none.
 * @param language the message's initial language.
 */
export function createAutomationDraft(templateId: string, language: string): AutomationDraft {
  return {
    name: "",
    trigger: { ...emptyTrigger, templateId },
    tree: createGroup(),
    after: "0",
    actions: [createActionDraft("message", templateId, language)],
    frequency: "occasion",
    everyDays: "30",
  };
}

/**
 * Converts an automation from the API to a draft.
 * @param language the initial language if the user turns an action into a message.
 */
export function toAutomationDraft(automation: Automation, language: string): AutomationDraft {
  const { name, on, if: filter, after, do: actions, per } = automation;
  return {
    name,
    trigger: toTriggerDraft(on),
    tree: (filter === null ? null : parseGroup(filter)) ?? createGroup(),
    after: String(after),
    actions: actions.map((action) => toActionDraft(action, language)),
    frequency: typeof per === "string" ? per : "everyDays",
    everyDays: typeof per === "string" ? "30" : String(per.everyDays),
  };
}

function toTriggerDraft(on: Trigger): TriggerDraft {
  if ("segmentEntered" in on) return { ...emptyTrigger, kind: "segment", segment: on.segmentEntered };
  if ("date" in on) {
    const { daysBefore, at } = on.date;
    if ("pointsExpiry" in on.date) {
      const { pointsExpiry: templateId } = on.date;
      return { ...emptyTrigger, kind: "pointsExpiry", templateId, daysBefore: String(daysBefore), at };
    }
    const { metadata } = on.date;
    return { ...emptyTrigger, kind: "date", key: formatKeys(metadata), daysBefore: String(daysBefore), at };
  }
  const { event, templateId = "", toGo } = on;
  return { ...emptyTrigger, kind: event, templateId, toGo: toGo === undefined ? "" : String(toGo) };
}

/** Converts a draft to the automation that the API expects. */
export function fromAutomationDraft(draft: AutomationDraft): CreateAutomation {
  const { name, trigger, tree, after, actions, frequency, everyDays } = draft;
  return {
    name: name.trim(),
    on: fromTriggerDraft(trigger),
    if: buildFilter(tree),
    after: Number(after),
    do: actions.map(fromActionDraft),
    per: frequency === "everyDays" ? { everyDays: Number(everyDays) } : frequency,
  };
}

function fromTriggerDraft({
  kind,
  templateId,
  toGo,
  segment,
  key,
  daysBefore,
  at,
}: TriggerDraft): CreateAutomation["on"] {
  if (kind === "segment") return { segmentEntered: segment };
  if (kind === "date")
    return { date: { metadata: parseKeys(key.trim()), daysBefore: Number(daysBefore), at } };
  if (kind === "pointsExpiry")
    return { date: { pointsExpiry: templateId, daysBefore: Number(daysBefore), at } };
  if (kind === "user.created" || kind === "purchase.recorded") return { event: kind };
  const card = templateId === "" ? {} : { templateId };
  const toGoFilter = kind === "stamp.added" && toGo.trim() !== "" ? { toGo: Number(toGo) } : {};
  return { event: kind, ...card, ...toGoFilter };
}

const isWholeNumber = (text: string) => /^\d+$/.test(text.trim());

/**
 * Returns error messages for missing or invalid fields, keyed by the field's path in the API. If there are none, the automation can
 * be saved.
 */
export function findMissingFields(draft: AutomationDraft): Readonly<Record<string, string>> {
  const { trigger, tree, after, actions, frequency, everyDays } = draft;
  const { kind, templateId: card, toGo, segment, key, daysBefore, at } = trigger;
  const isTimed = kind === "date" || kind === "pointsExpiry";
  const checks: (readonly [isSo: boolean, path: string, words: string])[] = [
    [kind === "stamp.added" && toGo.trim() !== "" && !isWholeNumber(toGo), "on.toGo", editor.number],
    [kind === "segment" && segment === "", "on.segmentEntered", editor.choose],
    [kind === "date" && key.trim() === "", "on.date.metadata", editor.text],
    [kind === "pointsExpiry" && card === "", "on.date.pointsExpiry", editor.choose],
    [isTimed && !isWholeNumber(daysBefore), "on.date.daysBefore", editor.number],
    [isTimed && at === "", "on.date.at", editor.text],
    [!isFinished(tree), "if", incompleteFilter],
    [!isWholeNumber(after), "after", editor.number],
    [frequency === "everyDays" && !isWholeNumber(everyDays), "per.everyDays", editor.number],
    ...actions.flatMap(({ kind, tag, templateId, count, points }, index) => {
      const needsTag = kind === "assignTag" || kind === "unassignTag";
      const needsTemplate = kind === "addStamps" || kind === "giveReward" || kind === "givePoints";
      return [
        [needsTag && tag === "", `do.${index}.${kind}`, editor.choose] as const,
        [needsTemplate && templateId === "", `do.${index}.${kind}.templateId`, editor.choose] as const,
        [
          kind === "addStamps" && !isWholeNumber(count),
          `do.${index}.addStamps.count`,
          editor.number,
        ] as const,
        [
          kind === "givePoints" && !isWholeNumber(points),
          `do.${index}.givePoints.points`,
          editor.number,
        ] as const,
      ];
    }),
  ];
  return Object.fromEntries(
    checks.filter(([isMissing]) => isMissing).map(([, path, words]) => [path, words]),
  );
}
