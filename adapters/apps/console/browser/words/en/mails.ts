import type { MessageDelivery } from "../../../../../../src/messages/delivery-schema.js";

/** UI text for the status of an email or message that was sent to a customer. */
export const mails = {
  onCard: "on the card",
  attempts: (count: number) => (count === 1 ? "Details" : `${count} tries`),
  noAnswer: "no response",
  mayComeTwice: "may arrive twice",
  waiting: "waiting",
  nextAttempt: (moment: string) => `next attempt ${moment}`,
  underWay: "being sent",
  sent: "sent",
  notSent: "not sent",
  failed: "failed",
  googleHasIt: "accepted by Google",
  phoneHasIt: "delivered to the customer’s phone",
  silently: (taker: string) => `${taker}, silently`,
};

/** Reasons why a customer doesn't receive a message, keyed by the delivery's reason. */
export const mailReasons: Readonly<Record<NonNullable<MessageDelivery["reason"]>, string>> = {
  no_consent: "the customer hasn’t confirmed that they want news",
  unsubscribed: "the customer unsubscribed",
  no_address: "the customer has no email address",
  suppressed: "the address is suppressed",
  no_wallet: "the card isn’t in a wallet",
  capped: "the customer reached the message limit",
  canceled: "it was canceled",
  expired: "it couldn’t be sent in time",
  customer_deleted: "the customer was deleted",
  pass_deleted: "the card was deleted",
  replaced: "replaced by a newer one",
  address_refused: "the address doesn’t exist",
  message_refused: "the customer’s mail server rejected it",
  gave_up: "all attempts failed",
  bounced: "it bounced",
  complained: "the customer marked it as spam",
};

export const mailKinds: Readonly<Record<MessageDelivery["kind"], string>> = {
  pass: "Card",
  link: "Card, sent again because someone signed up with this address",
  confirm: "Address confirmation",
  sign_in: "Sign-in link",
  message: "News",
  automation: "News",
  test: "Test",
};
