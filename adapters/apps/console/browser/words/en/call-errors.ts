import type { ErrorCode } from "../../../../../../src/base/errors.js";
import { countText, pluralOf } from "./forms.js";

/** Messages for failed calls, keyed by error code. */
export const refusals = {
  unauthorized: "You were signed out.",
  user_tag_already_exists: "Another tag already has this name.",
  user_tag_already_assigned: "The customer already has this tag.",
  segment_already_exists: "Another segment already has this name.",
  segment_in_use: "The segment is in use, so it can’t be deleted.",
  template_in_use: "Customers have this card, so it can’t be deleted.",
  not_a_stamp_card: "This card has no stamps.",
  not_enough_stamps: "The card doesn’t have that many stamps.",
  not_a_point_card: "This card has no points.",
  not_enough_points: "The card doesn’t have that many points.",
  already_reversed: "This was already undone.",
  not_reversible: "This can’t be undone.",
  purchase_conflict: "The purchase was already recorded with other content.",
  return_conflict: "The return was already recorded with other content.",
  more_than_bought: "More would be returned than was bought.",
  reward_already_redeemed: "The reward was already redeemed. Undo the redemption first.",
  no_reward_available: "This card has no reward to redeem.",
  mail_not_configured: "Email isn’t set up yet.",
  no_mail_address: "The customer has no email address.",
  address_suppressed: "Emails to this address are blocked. Change the address first.",
  customer_unsubscribed: "The customer unsubscribed. Enter a consent date after the date they unsubscribed.",
  message_not_draft: "The message isn’t a draft.",
  message_tested_recently: "You’ve sent ten tests in the last hour.",
  message_ended: "The message has ended.",
  wallets_not_configured: "Wallets aren’t set up yet.",
  too_many_messages: "You have too many messages.",
  too_many_automations: "You have too many automations. Delete one first.",
  too_many_automation_versions:
    "This automation has been edited too many times. Create a copy and delete this one.",
  too_many_pending_deliveries: "Too many emails are waiting to be sent. Try again later.",
  webhook_endpoint_disabled: "Enable the endpoint first.",
  pass_notified_recently: "This card was just emailed.",
  person_already_exists: "This person is already on the team.",
  person_mailed_recently: "Too many emails were sent to this address.",
  last_owner: "Make someone else an owner first.",
  too_many_people: "Your team is full. Remove someone first.",
  rate_limit_exceeded: "Too many requests.",
  resource_not_found: "This no longer exists.",
  idempotency_key_in_use: "Still working on it.",
  storage_unavailable: "The server is busy.",
  internal_error: "Something went wrong. See the server’s log.",
} satisfies Partial<Record<ErrorCode, string>>;

/** Messages for failed calls that have no error code, and for error codes that have no message of their own. */
export const callErrors = {
  unreachable: "The server can’t be reached.",
  lacksScope: (scope: string) => `You don’t have permission to do this. It requires ${scope}.`,
  tooMany: "You’ve reached the limit. Delete one first.",
  refused: (status: number, code: string) => `The request failed (${status} ${code}).`,
  sameEmail: "Another customer already has this email.",
  sameNumber: "Another customer already has this number.",
  tryAgainIn: (time: string) => `Try again in ${time}.`,
  hours: (count: number) => countText(count, "hour"),
  minutes: (count: number) => countText(count, "minute"),
  seconds: (count: number) => `${count} ${pluralOf(count, "second", "seconds")}`,
};

/** Returns the API's error message for a field unchanged, because it is already in English. */
export const fieldError = (message: string): string => message;
