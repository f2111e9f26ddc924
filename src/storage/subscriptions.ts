import type { Step } from "../base/concurrency/step.js";
import { oneOf, type RowOf, record, text, time } from "./record.js";

/** The channels on which customers can receive messages. */
export const messageChannels = ["email", "wallet"] as const;

export const subscriptionStatuses = ["NONE", "PENDING", "SUBSCRIBED", "UNSUBSCRIBED"] as const;

/** The possible sources of a customer's consent or refusal. */
export const subscriptionSources = ["join", "api", "customer", "import", "link", "bounce"] as const;

/** The possible reasons for suppressing an address. */
export const suppressedReasons = ["bounced", "complained", "refused"] as const;

const statusColumn = () => oneOf(...subscriptionStatuses);
const sourceColumn = () => oneOf(...subscriptionSources).nullable();

/**
 * A customer's consent to receive messages. For a customer without a row, the status on each channel is `NONE` and all other fields
 * are `null`.
 */
export const subscriptionRecord = record("subscriptions", ["userId"], {
  /** The ID of the customer. */
  userId: text().refersTo("users", "id"),
  /** The status of the customer's consent to receive messages by email. */
  emailStatus: statusColumn(),
  /** When the customer gave or withdrew consent; `null` while the status is `NONE`, like the source and the text. */
  emailAt: time().nullable(),
  /** The source of the consent or refusal for email, or `null` while the status is `NONE`. */
  emailSource: sourceColumn(),
  /** The consent text that the customer agreed to, exactly as all customers see it. */
  emailText: text().nullable(),
  /** The status of the customer's consent to receive messages on their cards. */
  walletStatus: statusColumn(),
  /**
   * When the customer gave or withdrew consent for messages on cards, in milliseconds since the Unix epoch, or `null` while the
   * status is `NONE`.
   */
  walletAt: time().nullable(),
  /** The source of the consent or refusal for messages on cards, or `null` while the status is `NONE`. */
  walletSource: sourceColumn(),
  /** The consent text for messages on cards, exactly as the customer saw it, or `null` if there is none. */
  walletText: text().nullable(),
  /** Why the current email address is suppressed, or `null` if it may get emails. Reset when the address changes. */
  suppressedReason: oneOf(...suppressedReasons).nullable(),
  /** When the current email address was suppressed, in milliseconds since the Unix epoch, or `null` if it isn't suppressed. */
  suppressedAt: time().nullable(),
  /** The time when someone who receives email at the address confirmed that it is theirs. */
  emailConfirmedAt: time().nullable(),
  /** When the user got the current email address, or `null` if no email was ever sent to an earlier address. */
  addressSince: time().nullable(),
  /** The language, as a canonical BCP 47 tag. */
  language: text().nullable(),
});

export type StoredSubscription = RowOf<typeof subscriptionRecord>;

export type SubscriptionStatus = StoredSubscription["emailStatus"];
export type SubscriptionSource = NonNullable<StoredSubscription["emailSource"]>;
export type SuppressedReason = NonNullable<StoredSubscription["suppressedReason"]>;

export interface SubscriptionReads {
  /** Returns a user's subscription, or `null` if no preference has ever been recorded. */
  findSubscription(userId: string): Step<StoredSubscription | null>;
  /** Returns the subscriptions of these users (at most 1,000), sorted by user ID. Omits users who have no subscription. */
  subscriptionsOf(userIds: readonly string[]): Step<StoredSubscription[]>;
}

export interface SubscriptionWrites {
  /**
   * Stores a subscription, replacing the user's existing one. The subscription is removed when the user is deleted.
   * @throws an error if there is no such user.
   */
  putSubscription(subscription: StoredSubscription): Step<void>;
}
