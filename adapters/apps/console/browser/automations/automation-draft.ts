import type { Automation, CreateAutomation } from "../../../../../src/automations/schema.js";
import { buildFilter, type Group, isFinished, newGroup, parseGroup } from "../segments/filter-tree.js";
import { keysIn, textOfKeys } from "../segments/leaf-values.js";
import { editor } from "../words/en/automation-editor.js";
import { incompleteFilter } from "../words/en/segment-conditions.js";
import { type ActionDraft, fromActionDraft, newAction, toActionDraft } from "./action-draft.js";
import type { Frequency, StartKind } from "./automation-kinds.js";

type Start = Automation["on"];
/** A trigger in the editor. Numbers are strings, as the user typed them. */
export interface TriggerDraft {
  readonly kind: StartKind;
  /** The ID of the card that the trigger is limited to, or an empty string for all cards. */
  readonly templateId: string;
  /** The number of stamps that must be left until the card is full for the trigger to fire, or an empty string for any number. */
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
  readonly start: TriggerDraft;
  /** The filter that customers must match. If it is empty, the automation runs for every customer. */
  readonly tree: Group;
  readonly after: string;
  readonly actions: readonly ActionDraft[];
  readonly often: Frequency;
  readonly everyDays: string;
}

const noStart: TriggerDraft = {
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
 * @param templateId the card that is selected initially, or an empty string for none.
 * @param language the language of the message's first text.
 */
export function newAutomation(templateId: string, language: string): AutomationDraft {
  return {
    name: "",
    start: { ...noStart, templateId },
    tree: newGroup(),
    after: "0",
    actions: [newAction("message", templateId, language)],
    often: "occasion",
    everyDays: "30",
  };
}

/**
 * Converts an automation that the API returned into a draft.
 * @param language the initial language of the message if the user changes an action to one that sends a message.
 */
export function toAutomationDraft(automation: Automation, language: string): AutomationDraft {
  const { name, on, if: filter, after, do: actions, per } = automation;
  return {
    name,
    start: editedStart(on),
    tree: (filter === null ? null : parseGroup(filter)) ?? newGroup(),
    after: String(after),
    actions: actions.map((action) => toActionDraft(action, language)),
    often: typeof per === "string" ? per : "everyDays",
    everyDays: typeof per === "string" ? "30" : String(per.everyDays),
  };
}

function editedStart(on: Start): TriggerDraft {
  if ("segmentEntered" in on) return { ...noStart, kind: "segment", segment: on.segmentEntered };
  if ("date" in on) {
    const { metadata, daysBefore, at } = on.date;
    return { ...noStart, kind: "date", key: textOfKeys(metadata), daysBefore: String(daysBefore), at };
  }
  const { event, templateId = "", toGo } = on;
  return { ...noStart, kind: event, templateId, toGo: toGo === undefined ? "" : String(toGo) };
}

/** Converts a draft to the automation that the API expects. */
export function fromAutomationDraft(edited: AutomationDraft): CreateAutomation {
  const { name, start, tree, after, actions, often, everyDays } = edited;
  return {
    name: name.trim(),
    on: sentStart(start),
    if: buildFilter(tree),
    after: Number(after),
    do: actions.map(fromActionDraft),
    per: often === "everyDays" ? { everyDays: Number(everyDays) } : often,
  };
}

function sentStart({
  kind,
  templateId,
  toGo,
  segment,
  key,
  daysBefore,
  at,
}: TriggerDraft): CreateAutomation["on"] {
  if (kind === "segment") return { segmentEntered: segment };
  if (kind === "date") return { date: { metadata: keysIn(key.trim()), daysBefore: Number(daysBefore), at } };
  if (kind === "user.created") return { event: kind };
  const card = templateId === "" ? {} : { templateId };
  const missing = kind === "stamp.added" && toGo.trim() !== "" ? { toGo: Number(toGo) } : {};
  return { event: kind, ...card, ...missing };
}

const isWhole = (typed: string) => /^\d+$/.test(typed.trim());

/**
 * Returns error messages for missing or invalid fields, keyed by the field's path in the API. If the result is empty, the
 * automation can be saved.
 */
export function findMissingFields(edited: AutomationDraft): Readonly<Record<string, string>> {
  const { start, tree, after, actions, often, everyDays } = edited;
  const { kind, toGo, segment, key, daysBefore, at } = start;
  const lacks: (readonly [isSo: boolean, path: string, words: string])[] = [
    [kind === "stamp.added" && toGo.trim() !== "" && !isWhole(toGo), "on.toGo", editor.number],
    [kind === "segment" && segment === "", "on.segmentEntered", editor.choose],
    [kind === "date" && key.trim() === "", "on.date.metadata", editor.text],
    [kind === "date" && !isWhole(daysBefore), "on.date.daysBefore", editor.number],
    [kind === "date" && at === "", "on.date.at", editor.text],
    [!isFinished(tree), "if", incompleteFilter],
    [!isWhole(after), "after", editor.number],
    [often === "everyDays" && !isWhole(everyDays), "per.everyDays", editor.number],
    ...actions.flatMap(({ kind, tag, templateId, count }, at) => {
      const isOfTag = kind === "assignTag" || kind === "unassignTag";
      const isOfCard = kind === "addStamps" || kind === "giveReward";
      return [
        [isOfTag && tag === "", `do.${at}.${kind}`, editor.choose] as const,
        [isOfCard && templateId === "", `do.${at}.${kind}.templateId`, editor.choose] as const,
        [kind === "addStamps" && !isWhole(count), `do.${at}.addStamps.count`, editor.number] as const,
      ];
    }),
  ];
  return Object.fromEntries(lacks.filter(([isSo]) => isSo).map(([, path, words]) => [path, words]));
}
