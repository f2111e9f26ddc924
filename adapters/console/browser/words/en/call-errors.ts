import type { ErrorCode } from "../../../../../src/errors.js";
import { counted, pluralOf } from "./forms.js";

/** What is said of a call that failed, by the code of its refusal. */
export const refusals = {
  unauthorized: "You are not signed in any more.",
  user_tag_already_exists: "Another tag has that name already.",
  user_tag_already_assigned: "The customer has this tag already.",
  segment_already_exists: "Another segment has that name already.",
  segment_in_use: "The segment is still needed, so it can’t be deleted.",
  template_in_use: "Customers have this card, so it can’t be deleted.",
  not_a_stamp_card: "This card has no stamps.",
  not_enough_stamps: "The card doesn’t have that many stamps.",
  already_reversed: "This was undone already.",
  reward_already_redeemed: "The reward it gave has been redeemed. Undo that first.",
  no_reward_available: "There is no reward on this card.",
  mail_not_configured: "This server sends no mails yet. Settings says how that is set up.",
  no_mail_address: "The customer has no address that mail could be sent to.",
  address_suppressed: "Nothing is sent to the customer’s address any more, until it is changed.",
  customer_unsubscribed:
    "The customer has ended these messages. Say when they agreed anew: it has to be after that.",
  message_not_draft: "The message is no draft any more.",
  message_tested_recently: "There were ten tests in the last hour, which is as many as there may be.",
  message_ended: "The message has ended already.",
  wallets_not_configured: "This server puts no cards into wallets yet.",
  too_many_messages:
    "There are as many messages as there may be, or too many are scheduled or being sent at once.",
  too_many_automations: "There are as many automations as there may be. Delete one that you don’t need.",
  too_many_automation_versions:
    "It was changed so often that no more of its earlier forms can be kept. Make another one, and delete this.",
  too_many_pending_deliveries: "So many mails wait to be sent that there is no room for more.",
  webhook_endpoint_disabled: "The endpoint is disabled. Enable it first.",
  pass_notified_recently: "This card was mailed a short while ago.",
  person_already_exists: "Somebody with this address is here already.",
  person_mailed_recently: "This address got five mails within the hour. Try again later.",
  last_owner: "Nobody else is an owner who has signed in. Make somebody one first, and let them sign in.",
  too_many_people: "There are as many people as there may be. Remove somebody first.",
  rate_limit_exceeded: "That was too much at once.",
  resource_not_found: "It isn’t there, or not any more.",
  idempotency_key_in_use: "That is still being done. Look again in a moment.",
  storage_unavailable: "The server is busy. Try again in a moment.",
  internal_error: "Something went wrong on the server. Its log says what.",
} satisfies Partial<Record<ErrorCode, string>>;

/** What is said of other calls that failed. */
export const callErrors = {
  unreachable: "The server can’t be reached.",
  lacksScope: (scope: string) => `You may not do this here: your sign-in lacks ${scope}.`,
  tooMany: "There are as many as there may be. Delete one that you don’t need.",
  refused: (status: number, code: string) => `The server refused it (${status} ${code}).`,
  sameEmail: "Another customer has this address.",
  sameNumber: "Another customer has this number.",
  tryAgainIn: (time: string) => `Try again in ${time}.`,
  hours: (count: number) => counted(count, "hour"),
  minutes: (count: number) => counted(count, "minute"),
  seconds: (count: number) => `${count} ${pluralOf(count, "second", "seconds")}`,
};

/** Returns what is wrong with a field, as the server says it. */
export const fieldError = (message: string): string => message;
