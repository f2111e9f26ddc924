import type { MessageChannel, Subscription } from "../../../../../../src/messages/subscription-schema.js";

type Consent = Subscription[MessageChannel];

/** UI text for a customer's consents and email address. */
export const consents = {
  panel: "Email and news",
  address: "Address",
  noAddress: "none",
  notConfirmed: "not confirmed",
  confirmed: (moment: string) => `confirmed on ${moment}`,
  language: "Language",
  ofCard: "same as the card",
  changeLanguage: "Change language",
  languageHint: "For example, en, de, or pt-BR. Leave blank to use the card’s language.",
  languageTitle: "Email language",
  save: "Save",
  saved: "Saved",
  suppressed: (moment: string, why: string) =>
    `Nothing has been sent to this address since ${moment}: ${why}. Change the address to resume.`,
  noteRefusal: "Record an objection",
  noteEnd: "Unsubscribe",
  noteConsent: "Subscribe to news",
  noteNewConsent: "Subscribe to news again",
  wantsNone: (channel: string) => `${channel}: unsubscribe the customer?`,
  noted: "Recorded",
  untilAgreed:
    "They won’t get any more news until they opt in again. They’ll still get emails with their card.",
  title: (channel: string) => `${channel}: subscribe the customer`,
  verb: "Subscribe to news",
  consentNoted: "Subscribed",
  text: "Text the customer agreed to",
  textHint: "Exactly as written on the form, or as spoken. This is your proof of consent.",
  when: "When",
  afterEnd: "Must be later than the date they unsubscribed.",
  now: "Leave blank to use the current time.",
  endedOn: (moment: string) => `Unsubscribed on ${moment},`,
  ended: "Ended",
  onlyAfter: "Only consent given after that date counts.",
};

export const channelNames: Readonly<Record<MessageChannel, string>> = {
  email: "News by email",
  wallet: "News on the card in the wallet",
};

export const consentStatuses: Readonly<Record<Consent["status"], string>> = {
  NONE: "not asked",
  PENDING: "awaiting confirmation",
  SUBSCRIBED: "opted in",
  UNSUBSCRIBED: "unsubscribed",
};

export const sources: Readonly<Record<NonNullable<Consent["source"]>, string>> = {
  join: "on the sign-up page",
  api: "recorded by the shop or its software",
  customer: "by the customer, signed in",
  import: "imported",
  link: "through a link in an email",
  bounce: "by the customer marking an email as spam",
};

export const suppressions: Readonly<Record<NonNullable<Subscription["suppressed"]>["reason"], string>> = {
  bounced: "emails bounced",
  complained: "the customer objected to emails or marked one as spam",
  refused: "the mail server says the address doesn’t exist",
};
