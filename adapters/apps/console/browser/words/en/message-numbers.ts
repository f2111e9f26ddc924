import type { MessageDelivery } from "../../../../../../src/messages/delivery-schema.js";
import { countText, numberText } from "./forms.js";

/** Reasons why customers don't receive a message. Each one follows a number of customers, as in "12 without an email address". */
export const skipReasons: Readonly<Record<NonNullable<MessageDelivery["reason"]>, string>> = {
  no_consent: "haven’t confirmed that they want news",
  unsubscribed: "unsubscribed from news",
  no_address: "without an email address",
  suppressed: "with a suppressed address",
  no_wallet: "without the card in a wallet",
  capped: "over the message limit",
  canceled: "not sent before it was canceled",
  expired: "not sent in time",
  customer_deleted: "since deleted",
  pass_deleted: "whose card was deleted",
  replaced: "replaced by a newer message",
  address_refused: "with an address that doesn’t exist",
  message_refused: "rejected by the mail server",
  gave_up: "all attempts failed",
  bounced: "bounced",
  complained: "marked as spam",
};

/** Sentences that say roughly how long it takes to send a message. */
export const takes = {
  moment: "Sending may take a moment.",
  seconds: (count: number) => `Sending takes about ${numberText(count)} seconds.`,
  minutes: (count: number) => `Sending takes about ${numberText(count)} minutes.`,
  hours: (count: number) => `Sending takes about ${numberText(count)} hours.`,
} as const;

/** UI text for a message's estimated recipient count and for the reasons why the rest of the audience won't receive the message. */
export const numbers = {
  title: "Estimated recipients",
  saveFirst: "Save the draft to count the recipients.",
  /** Said of the numbers that are counted while a message is being written. */
  reachable: (total: number) =>
    `Customers who opted in, out of ${countText(total, "customer")} right now. Save the draft to see who won’t get it and why.`,
  unfinished: "Complete the message to count the recipients.",
  onCard: "On the card",
  byMail: "By email",
  notSent: "Not sent",
  progress: "Progress",
  reasons: "Why it isn’t sent",
  of: (people: number) => `Out of ${countText(people, "customer")} right now.`,
  apart: "Cards and emails are counted separately.",
  unconfirmed: (count: number) =>
    `${countText(count, "customer")} ticked news but ${count === 1 ? "hasn’t" : "haven’t"} confirmed it by email yet`,
  /** @param languages the languages and the number of customers for each, such as "de (12), en (3)". */
  read: (languages: string) => `Languages: ${languages}.`,
} as const;
