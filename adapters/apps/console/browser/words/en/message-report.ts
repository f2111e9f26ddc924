import type { MessageChannel } from "../../../../../../src/messages/subscription-schema.js";
import { countText } from "./forms.js";

/** UI text for a message's results. */
export const report = {
  cancel: "Cancel message",
  cancelTitle: (name: string) => `Cancel ${name}?`,
  cancelVerb: "Cancel message",
  wasCanceled: "The message was canceled",
  cancelScheduled: "It won’t be sent. This can’t be undone.",
  cancelSending:
    "The remaining customers won’t get it, except for the few it’s being sent to right now. It’s also removed from cards. This can’t be undone.",
  copy: "Copy as a new draft",
  copied: "Copied as a draft",
  copyName: (name: string) => `Copy of ${name}`,
  sent: "Sent",
  /** Says what the numbers of a message add up to. A customer can get both a card and an email. */
  outOf: (recipients: number, customers: number) =>
    recipients === customers
      ? `Together, these are ${countText(customers, "customer")}.`
      : `Together, these are ${countText(recipients, "card or email", "cards and emails")} for ${countText(customers, "customer")}.`,
  toGo: "Remaining",
  notSent: "Not sent",
  failed: "Failed",
  uncertain: (count: number) =>
    `${countText(count, "confirmation")} lost. Those customers may have received the message twice.`,
  language: "Language",
  to: "To",
  everybody: "all customers",
  segment: (name: string) => `the segment “${name}”`,
  filter: "customers who match a filter",
  some: (count: number) => countText(count, "customer"),
  toSoMany: (whom: string, people: number) => `${whom}: ${countText(people, "customer")}`,
  how: "Channels",
  ways: (channels: readonly MessageChannel[], isEach: boolean) =>
    channels
      .map((channel) => (channel === "email" ? "by email" : "on the wallet card"))
      .join(isEach ? " and " : ", or else "),
  begins: "Starts",
  began: "Started",
  ended: "Ended",
  sentUntil: "Sent until",
  afterQuietHours: (until: string, zone: string) => `after quiet hours, at ${until} (${zone})`,
  inAMoment: "in a moment",
} as const;

/** UI text for the list of customers who did or didn't receive the message. */
export const recipients = {
  title: "Recipients",
  toShow: "Filter customers",
  none: "No one yet.",
  noun: "customers",
  byMail: "by email",
  onCard: "on the card",
  onCardIn: (wallet: string) => `on the card, ${wallet}`,
} as const;

export const recipientFilters = [
  ["", "All customers"],
  ["ACCEPTED", "Received it"],
  ["SKIPPED", "Skipped"],
  ["FAILED", "Failed"],
  ["PENDING", "Waiting"],
  ["SENDING", "Being sent"],
] as const;
