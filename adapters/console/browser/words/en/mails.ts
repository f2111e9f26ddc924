import type { MessageDelivery } from "../../../../../src/resources/message-delivery.js";

/** All words of single mails and messages to a customer, and why one does not go out. */
export const mails = {
  onCard: "on the card",
  attempts: (count: number) => `${count} ${count === 1 ? "attempt" : "attempts"}`,
  noAnswer: "no answer",
  mayComeTwice: "it may arrive twice",
  waiting: "waiting",
  nextAttempt: (moment: string) => `next attempt ${moment}`,
  underWay: "being sent",
  sent: "sent",
  notSent: "not sent",
  failed: "failed",
  serverHasIt: "the customer’s mail server has it",
  googleHasIt: "Google has it",
  phoneHasIt: "the customer’s phone has it",
  silently: (taker: string) => `${taker}, without a sound`,
};

/** Says why a customer does not get a message. */
export const mailReasons: Readonly<Record<NonNullable<MessageDelivery["reason"]>, string>> = {
  no_consent: "the customer has not agreed to news",
  unsubscribed: "the customer wants no more news",
  no_address: "the customer has no address",
  suppressed: "nothing is sent to this address any more",
  no_wallet: "the card is in no wallet",
  capped: "the customer has had enough messages for now",
  canceled: "it was canceled",
  expired: "it could not be sent in time",
  customer_deleted: "the customer was deleted",
  pass_deleted: "the card was deleted",
  replaced: "a newer one took its place",
  address_refused: "there is no such address",
  message_refused: "the customer’s mail server did not want it",
  gave_up: "it was tried in vain until its time was over",
  bounced: "it came back",
  complained: "the customer marked it as spam",
};

export const mailKinds: Readonly<Record<MessageDelivery["kind"], string>> = {
  pass: "The card",
  link: "The card, as somebody joined again with this address",
  confirm: "Confirming the address",
  sign_in: "Signing in",
  message: "News",
  automation: "News",
  test: "A test",
};
