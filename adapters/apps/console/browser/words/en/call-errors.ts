import type { ErrorCode } from "../../../../../../src/base/errors.js";
import { countText, pluralOf } from "./forms.js";

/** Messages for failed calls, keyed by error code. */
export const refusals = {
  unauthorized: "You’ve been signed out.",
  user_tag_already_exists: "Another tag has that name already.",
  user_tag_already_assigned: "The customer has this tag already.",
  segment_already_exists: "Another segment has that name already.",
  segment_in_use: "The segment is in use, so it can’t be deleted.",
  template_in_use: "Customers have this card, so it can’t be deleted.",
  not_a_stamp_card: "This card has no stamps.",
  not_enough_stamps: "The card doesn’t have that many stamps.",
  already_reversed: "This was undone.",
  reward_already_redeemed: "Its reward was redeemed. Undo that first.",
  no_reward_available: "There is no reward on this card.",
  mail_not_configured: "This server doesn’t send mail yet. See Settings.",
  no_mail_address: "The customer has no email address.",
  address_suppressed: "This address has refused mail. Change it first.",
  customer_unsubscribed: "The customer unsubscribed. Enter a later date of consent.",
  message_not_draft: "The message isn’t a draft.",
  message_tested_recently: "You can test ten times an hour.",
  message_ended: "The message has ended.",
  wallets_not_configured: "Wallets aren’t set up yet.",
  too_many_messages: "You have too many messages.",
  too_many_automations: "You have too many automations. Delete one first.",
  too_many_automation_versions: "Edited too often. Create a copy and delete this one.",
  too_many_pending_deliveries: "Too many emails are waiting.",
  webhook_endpoint_disabled: "Enable the endpoint first.",
  pass_notified_recently: "This card was just emailed.",
  person_already_exists: "This person is already here.",
  person_mailed_recently: "This address got too many emails this hour.",
  last_owner: "First make someone else an owner who signs in.",
  too_many_people: "You have too many people. Remove someone first.",
  rate_limit_exceeded: "Too many calls.",
  resource_not_found: "It no longer exists.",
  idempotency_key_in_use: "Still working on it. Try again in a moment.",
  storage_unavailable: "The server is busy. Try again in a moment.",
  internal_error: "The server failed. Its log says why.",
} satisfies Partial<Record<ErrorCode, string>>;

/** Messages for failed calls whose error code has no message of its own. */
export const callErrors = {
  unreachable: "The server can’t be reached.",
  lacksScope: (scope: string) => `You don’t have permission to do this: it requires ${scope}.`,
  tooMany: "You have too many. Delete one first.",
  refused: (status: number, code: string) => `The server refused it (${status} ${code}).`,
  sameEmail: "Another customer has this address.",
  sameNumber: "Another customer has this number.",
  tryAgainIn: (time: string) => `Try again in ${time}.`,
  hours: (count: number) => countText(count, "hour"),
  minutes: (count: number) => countText(count, "minute"),
  seconds: (count: number) => `${count} ${pluralOf(count, "second", "seconds")}`,
};

/** Returns a field's error message. In English, it is shown unchanged. */
export const fieldError = (message: string): string => message;
