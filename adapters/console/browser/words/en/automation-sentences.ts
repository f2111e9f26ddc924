import type { Automation } from "../../../../../src/resources/automation.js";
import type { MessageChannel } from "../../../../../src/resources/subscription.js";
import { countText, quoted } from "./forms.js";

type Start = Automation["on"];
type StartingEvent = Extract<Start, { readonly event: unknown }>["event"];

/** Sentences that describe an automation. Names of cards, tags and segments are inserted as they are. */

/**
 * The events that can trigger an automation.
 * @param card the card's name; `null` for any card.
 */
export const happens: Readonly<Record<StartingEvent, (card: string | null) => string>> = {
  "user.created": () => "When a customer is added",
  "pass.created": (card) => `When a customer gets ${card === null ? "a card" : `the card ${quoted(card)}`}`,
  "pass.installed": (card) =>
    `When a customer adds ${card === null ? "a card" : `the card ${quoted(card)}`} to a wallet`,
  "stamp.added": (card) => `When a customer gets a stamp${card === null ? "" : ` on ${quoted(card)}`}`,
  "stamp_card.completed": (card) => `When ${card === null ? "a card" : `the card ${quoted(card)}`} is full`,
  "stamp_card.redeemed": (card) => `When a reward${card === null ? "" : ` of ${quoted(card)}`} is redeemed`,
};

/** All other triggers. */
export const starts = {
  segment: (segment: string) => `When a customer enters the segment ${quoted(segment)}`,
  everyYear: (day: string, daysBefore: number, at: string) =>
    `Every year ${daysBefore === 0 ? "on" : `${countText(daysBefore, "day")} before`} ${quoted(day)}, at ${at}`,
  missing: (toGo: number, card: string | null) =>
    `When a customer is ${countText(toGo, "stamp")} away from a reward${card === null ? "" : ` on ${quoted(card)}`}`,
  later: (start: string, days: number) => `${start}, ${countText(days, "day")} later`,
} as const;

/** An automation's actions, as parts of a sentence. */
export const does = {
  write: (channels: readonly MessageChannel[], isEach: boolean) =>
    `send them a message ${channels.map((channel) => (channel === "email" ? "by email" : "on the card")).join(isEach ? " and " : ", or else ")}`,
  assignTag: (tag: string) => `add the tag ${quoted(tag)}`,
  unassignTag: (tag: string) => `remove the tag ${quoted(tag)}`,
  addStamps: (count: number, card: string) => `add ${countText(count, "stamp")} to ${quoted(card)}`,
  giveReward: (card: string) => `give them a reward on ${quoted(card)}`,
} as const;

/** How often an automation runs. */
export const per = {
  once: "Once per customer",
  occasion: "Every time",
  everyDays: (days: number) =>
    days === 1 ? "At most once a day per customer" : `At most every ${countText(days, "day")} per customer`,
} as const;

/** Text that joins the parts of a sentence. */
export const together = {
  /** @param whom a relative clause, such as "who have a reward waiting". */
  onlyFor: (whom: string) => `Only for customers ${whom}`,
  and: (before: string, last: string) => `${before} and ${last}`,
  /** @param condition empty if the automation is for all customers. */
  whole: (start: string, actions: string, condition: string, often: string) =>
    `${start}: ${actions}. ${condition === "" ? "" : `${condition}. `}${often}.`,
} as const;
