import type { MessageDelivery } from "../../../../../src/resources/message-delivery.js";
import { countText, numberText } from "./forms.js";

/** Says after a number of customers why they don’t get a message. */
export const skipReasons: Readonly<Record<NonNullable<MessageDelivery["reason"]>, string>> = {
  no_consent: "without consent to news",
  unsubscribed: "unsubscribed from news",
  no_address: "without an address",
  suppressed: "with an address that nothing is sent to any more",
  no_wallet: "without the card in a wallet",
  capped: "with enough messages for now",
  canceled: "not reached before it was canceled",
  expired: "not reached in time",
  customer_deleted: "deleted since",
  pass_deleted: "with a card deleted since",
  replaced: "with a newer message in its place",
  address_refused: "with an address that does not exist",
  message_refused: "with a mail server that did not want it",
  gave_up: "tried in vain",
  bounced: "with an address that mail came back from",
  complained: "who marked it as spam",
};

/** How long sending takes. */
export const takes = {
  moment: "It takes a moment.",
  seconds: (count: number) => `It takes about ${numberText(count)} seconds.`,
  minutes: (count: number) => `It takes about ${numberText(count)} minutes.`,
  hours: (count: number) => `It takes about ${numberText(count)} hours.`,
} as const;

/** How many customers would get the message now, and why the others would not. */
export const numbers = {
  title: "Who gets it",
  saveFirst: "Save the draft to count who gets it.",
  unfinished: "They are counted once nothing is missing any more.",
  onCard: "On the card",
  byMail: "By mail",
  notSent: "Not sent",
  progress: "How far it is",
  reasons: "Why not",
  of: (people: number) => `Of ${countText(people, "customer")}, as of now.`,
  apart: "The card and the mail count apart.",
  /** @param languages such as de (12), en (3). */
  read: (languages: string) => `They read ${languages}.`,
} as const;
