import type { Automation } from "../../../../../../src/automations/schema.js";
import type { MessageChannel } from "../../../../../../src/messages/subscription-schema.js";
import { countText, quoted } from "./forms.js";

type Start = Automation["on"];
type StartingEvent = Extract<Start, { readonly event: unknown }>["event"];

/** Sentences that describe an automation. The names of cards, tags and segments are inserted unchanged. */

/**
 * Phrases for the events that can trigger an automation, keyed by event type.
 * @param card the name of the card that the event must be about, or `null` for any card.
 */
export const happens: Readonly<Record<StartingEvent, (card: string | null) => string>> = {
  "user.created": () => "When a customer is added",
  "pass.created": (card) => `When a customer gets ${card === null ? "a card" : `the card ${quoted(card)}`}`,
  "pass.installed": (card) =>
    `When a customer adds ${card === null ? "a card" : `the card ${quoted(card)}`} to a wallet`,
  "stamp.added": (card) => `When a customer gets a stamp${card === null ? "" : ` on ${quoted(card)}`}`,
  "stamp_card.completed": (card) => `When ${card === null ? "a card" : `the card ${quoted(card)}`} is full`,
  "stamp_card.redeemed": (card) => `When a reward${card === null ? "" : ` on ${quoted(card)}`} is redeemed`,
  "purchase.recorded": () => "When a customer buys something",
};

/** Phrases for triggers that aren't events. */
export const starts = {
  segment: (segment: string) => `When a customer enters the segment ${quoted(segment)}`,
  everyYear: (day: string, daysBefore: number, at: string) =>
    `Every year ${daysBefore === 0 ? "on" : `${countText(daysBefore, "day")} before`} ${quoted(day)}, at ${at}`,
  pointsExpiry: (card: string, daysBefore: number, at: string) =>
    `${daysBefore === 0 ? "On the last day" : `${countText(daysBefore, "day")} before the last day`} of points on ${quoted(card)}, at ${at}`,
  missing: (toGo: number, card: string | null) =>
    `When a customer is ${countText(toGo, "stamp")} away from a reward${card === null ? "" : ` on ${quoted(card)}`}`,
  later: (start: string, days: number) => `${start}, ${countText(days, "day")} later`,
} as const;

/** Phrases for an automation's actions. */
export const does = {
  write: (channels: readonly MessageChannel[], isEach: boolean) =>
    `send them a message ${channels.map((channel) => (channel === "email" ? "by email" : "on the card")).join(isEach ? " and " : ", or else ")}`,
  assignTag: (tag: string) => `add the tag ${quoted(tag)}`,
  unassignTag: (tag: string) => `remove the tag ${quoted(tag)}`,
  addStamps: (count: number, card: string) => `add ${countText(count, "stamp")} to ${quoted(card)}`,
  giveReward: (card: string) => `give them a reward on ${quoted(card)}`,
  givePoints: (points: number, card: string) => `add ${countText(points, "point")} to ${quoted(card)}`,
} as const;

/** Phrases for how often an automation runs. */
export const per = {
  once: "Once per customer",
  occasion: "Every time",
  everyDays: (days: number) =>
    days === 1
      ? "At most once a day per customer"
      : `At most once every ${countText(days, "day")} per customer`,
} as const;

/** Text that joins the phrases about an automation into a sentence. */
export const together = {
  /** @param whom a relative clause that follows "customers", such as "who have a reward waiting". */
  onlyFor: (whom: string) => `Only for customers ${whom}`,
  and: (before: string, last: string) => `${before} and ${last}`,
  /** @param condition a sentence, or an empty string if the automation is for all customers. */
  whole: (start: string, actions: string, condition: string, often: string) =>
    `${start}: ${actions}. ${condition === "" ? "" : `${condition}. `}${often}.`,
} as const;
