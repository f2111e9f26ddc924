import type { Step } from "../concurrency/step.js";
import { oneOf, type RowOf, record, text, time } from "./record.js";

/** The channels that messages reach customers by. */
export const messageChannels = ["email", "wallet"] as const;

export const subscriptionStatuses = ["NONE", "PENDING", "SUBSCRIBED", "UNSUBSCRIBED"] as const;

/** The source of a customer's consent or refusal. */
export const subscriptionSources = ["join", "api", "customer", "import", "link", "bounce"] as const;

/** Why nothing is sent to an address. */
export const suppressedReasons = ["bounced", "complained", "refused"] as const;

const status = () => oneOf(...subscriptionStatuses);
const source = () => oneOf(...subscriptionSources).nullable();

/**
 * The messages that a customer wants. Without a subscription a customer has the status `NONE` on each channel, and `null` in all
 * other fields.
 */
export const subscriptionRecord = record("subscriptions", ["userId"], {
  userId: text().refersTo("users", "id"),
  emailStatus: status(),
  /** The time of the consent or its end; `null` while the status is `NONE`, as the source and the text. */
  emailAt: time().nullable(),
  emailSource: source(),
  /** The words that were agreed to, as everybody was shown them. */
  emailText: text().nullable(),
  walletStatus: status(),
  walletAt: time().nullable(),
  walletSource: source(),
  walletText: text().nullable(),
  /** Nothing is sent to the address until it changes; `null` while mails may be. */
  suppressedReason: oneOf(...suppressedReasons).nullable(),
  suppressedAt: time().nullable(),
  /** When a reader of the mails to the address confirmed that it is theirs. */
  emailConfirmedAt: time().nullable(),
  /** The user has the address since this time; `null` if no mail went to another one before. */
  addressSince: time().nullable(),
  /** A BCP 47 tag in its canonical form. */
  language: text().nullable(),
});

export type StoredSubscription = RowOf<typeof subscriptionRecord>;

export type SubscriptionStatus = StoredSubscription["emailStatus"];
export type SubscriptionSource = NonNullable<StoredSubscription["emailSource"]>;
export type SuppressedReason = NonNullable<StoredSubscription["suppressedReason"]>;

export interface SubscriptionReads {
  findSubscription(organizationId: string, userId: string): Step<StoredSubscription | null>;
  /** The subscriptions of these users (at most 1,000), by user id. Users without one are left out. */
  subscriptionsOf(organizationId: string, userIds: readonly string[]): Step<StoredSubscription[]>;
}

export interface SubscriptionWrites {
  /**
   * Stores the subscription, and replaces an existing one. It is removed with the user.
   * @throws an error if there is no such user.
   */
  putSubscription(organizationId: string, subscription: StoredSubscription): Step<void>;
}
