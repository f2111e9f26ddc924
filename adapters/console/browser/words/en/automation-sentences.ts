import type { Automation } from "../../../../../src/resources/automation.js";
import type { MessageChannel } from "../../../../../src/resources/subscription.js";
import { countText, quoted } from "./forms.js";

type Start = Automation["on"];
type StartingEvent = Extract<Start, { readonly event: unknown }>["event"];

/** What says what an automation does. Names of cards, tags and segments are given as they are. */

/** Each event as what starts an automation. @param card the name of the card; `null` for any. */
export const happens: Readonly<Record<StartingEvent, (card: string | null) => string>> = {
  "user.created": () => "When a customer is added",
  "pass.created": (card) => `When somebody gets ${card === null ? "a card" : `the card ${quoted(card)}`}`,
  "pass.installed": (card) =>
    `When somebody puts ${card === null ? "a card" : `the card ${quoted(card)}`} into a wallet`,
  "stamp.added": (card) => `When somebody gets a stamp${card === null ? "" : ` on ${quoted(card)}`}`,
  "stamp_card.completed": (card) => `When ${card === null ? "a card" : `the card ${quoted(card)}`} is full`,
  "stamp_card.redeemed": (card) => `When a reward${card === null ? "" : ` of ${quoted(card)}`} is handed out`,
};

/** The other triggers. */
export const starts = {
  segment: (segment: string) => `When somebody comes into the segment ${quoted(segment)}`,
  everyYear: (day: string, daysBefore: number, at: string) =>
    `Every year ${daysBefore === 0 ? "on" : `${countText(daysBefore, "day")} before`} ${quoted(day)}, at ${at}`,
  missing: (toGo: number, card: string | null) =>
    `When ${countText(toGo, "stamp")} ${toGo === 1 ? "is" : "are"} still missing${card === null ? "" : ` on ${quoted(card)}`}`,
  later: (start: string, days: number) => `${start}, ${countText(days, "day")} later`,
} as const;

/** The actions of an automation as parts of a sentence. */
export const does = {
  write: (channels: readonly MessageChannel[], isEach: boolean) =>
    `write to them ${channels.map((channel) => (channel === "email" ? "by mail" : "on the card")).join(isEach ? " and " : ", or else ")}`,
  assignTag: (tag: string) => `give them the tag ${quoted(tag)}`,
  unassignTag: (tag: string) => `take the tag ${quoted(tag)} from them`,
  addStamps: (count: number, card: string) => `add ${countText(count, "stamp")} to ${quoted(card)}`,
  giveReward: (card: string) => `give them a reward on ${quoted(card)}`,
} as const;

/** How often an automation runs. */
export const per = {
  once: "Once for each customer",
  occasion: "Each time that it happens",
  everyDays: (days: number) =>
    days === 1
      ? "At most once a day for each customer"
      : `At most every ${countText(days, "day")} for each customer`,
} as const;

/** The words that join the parts of a sentence. */
export const together = {
  /** @param whom such as who have a reward waiting. */
  onlyFor: (whom: string) => `Only for customers ${whom}`,
  and: (before: string, last: string) => `${before} and ${last}`,
  /** @param condition empty where it is for everybody. */
  whole: (start: string, actions: string, condition: string, often: string) =>
    `${start}: ${actions}. ${condition === "" ? "" : `${condition}. `}${often}.`,
} as const;
