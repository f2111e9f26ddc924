import type { MessageChannel } from "../../../../../src/resources/subscription.js";
import { countText } from "./forms.js";

/** The results of a message. */
export const report = {
  cancel: "Cancel message",
  cancelTitle: (name: string) => `Cancel ${name}?`,
  cancelVerb: "Cancel the message",
  wasCanceled: "The message was canceled",
  cancelScheduled: "Nobody gets it. This can’t be undone.",
  cancelSending:
    "Who has not got it yet does not, but for a few whose turn is now. Cards lose it again. This can’t be undone.",
  copy: "Copy as a new draft",
  copied: "It was copied as a draft",
  copyName: (name: string) => `Copy of ${name}`,
  sent: "Sent",
  toGo: "To go",
  notSent: "Not sent",
  failed: "Failed",
  uncertain: (count: number) => `${countText(count, "answer")} got lost: those customers may have it twice.`,
  language: "Language",
  to: "To",
  everybody: "everybody",
  segment: (name: string) => `the segment “${name}”`,
  filter: "customers by what they do, have or are",
  some: (count: number) => countText(count, "customer"),
  toSoMany: (whom: string, people: number) => `${whom}: ${countText(people, "customer")}`,
  how: "How",
  ways: (channels: readonly MessageChannel[], isEach: boolean) =>
    channels
      .map((channel) => (channel === "email" ? "by mail" : "on the card in the wallet"))
      .join(isEach ? " and " : ", else "),
  begins: "Begins",
  began: "Began",
  ended: "Ended",
  sentUntil: "Sent until",
  afterQuietHours: (until: string, zone: string) => `after the quiet hours, at ${until} (${zone})`,
  inAMoment: "in a moment",
} as const;

/** The customers who got the message, and the others. */
export const recipients = {
  title: "Who got it",
  toShow: "Customers to show",
  none: "Nobody so far.",
  noun: "customers",
  byMail: "by mail",
  onCard: "on the card",
  onCardIn: (wallet: string) => `on the card, ${wallet}`,
} as const;

export const recipientFilters = [
  ["", "Everybody"],
  ["ACCEPTED", "Who got it"],
  ["SKIPPED", "Who did not"],
  ["FAILED", "Where it failed"],
  ["PENDING", "Who is waiting"],
  ["SENDING", "Whose turn it is"],
] as const;
