import type { MessageChannel, Subscription } from "../../../../src/resources/subscription.js";

/** A customer's consent to messages on one channel. */
export type Consent = Subscription[MessageChannel];

export const channelNames: Readonly<Record<MessageChannel, string>> = {
  email: "News by mail",
  wallet: "News on the card in the wallet",
};

export const statuses: Readonly<
  Record<Consent["status"], { readonly text: string; readonly tone: "good" | "warn" | "" }>
> = {
  NONE: { text: "not asked", tone: "" },
  PENDING: { text: "to be confirmed by the customer", tone: "warn" },
  SUBSCRIBED: { text: "agreed", tone: "good" },
  UNSUBSCRIBED: { text: "wants none", tone: "" },
};

export const sources: Readonly<Record<NonNullable<Consent["source"]>, string>> = {
  join: "on the page to join by",
  api: "noted by the shop or its software",
  customer: "by the customer, signed in",
  import: "imported",
  link: "by the customer’s own link in a mail",
  bounce: "by the customer, who marked a mail as spam",
};

export const suppressions: Readonly<Record<NonNullable<Subscription["suppressed"]>["reason"], string>> = {
  bounced: "mails to it came back",
  complained: "the customer asked for no more mails, or marked one as spam",
  refused: "its mail server says that there is no such address",
};

/** Returns whether the customer has ended messages, and not the shop for them: only a new consent counts then. */
export function isOwnEnd({ status, source }: Consent): boolean {
  return status === "UNSUBSCRIBED" && source !== "api" && source !== "import";
}
