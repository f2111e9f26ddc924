import type { MessageChannel, Subscription } from "../../../../../src/resources/subscription.js";

type Consent = Subscription[MessageChannel];

/** All words of what a customer has agreed to, and of the address for mails. */
export const consents = {
  panel: "Mail and news",
  address: "Address",
  noAddress: "none",
  notConfirmed: "not confirmed",
  confirmed: (moment: string) => `confirmed on ${moment}`,
  language: "Language",
  ofCard: "that of the card",
  changeLanguage: "Change language",
  languageHint: "Such as en, de or pt-BR. Empty: that of the card.",
  languageTitle: "Language of mails",
  save: "Save",
  saved: "Saved",
  suppressed: (moment: string, why: string) =>
    `Nothing is sent to this address since ${moment}: ${why}. That ends when the address is changed.`,
  noteRefusal: "Note a refusal",
  noteEnd: "Note the end",
  noteConsent: "Note a consent",
  noteNewConsent: "Note a new consent",
  wantsNone: (channel: string) => `${channel}: the customer wants none?`,
  noted: "It was noted",
  untilAgreed:
    "They get none from now on, until they agree to them anew. Mails with their card are none of these.",
  title: (channel: string) => `${channel}: a consent`,
  verb: "Note the consent",
  consentNoted: "The consent was noted",
  text: "The words that the customer agreed to",
  textHint: "As they stood on the form, or were said. They are the proof of it.",
  when: "When",
  afterEnd: "After they ended it.",
  now: "Now, unless given.",
  endedOn: (moment: string) => `Ended on ${moment},`,
  ended: "Ended",
  onlyAfter: "Only a consent that was given after that counts.",
};

export const channelNames: Readonly<Record<MessageChannel, string>> = {
  email: "News by mail",
  wallet: "News on the card in the wallet",
};

export const consentStatuses: Readonly<Record<Consent["status"], string>> = {
  NONE: "not asked",
  PENDING: "to be confirmed by the customer",
  SUBSCRIBED: "agreed",
  UNSUBSCRIBED: "wants none",
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
