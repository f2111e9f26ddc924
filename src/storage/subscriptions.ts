import type { Step } from "../concurrency/step.js";
import { oneOf, type RowOf, record, text, time } from "./record.js";

/** The channels on which messages reach customers. */
export const messageChannels = ["email", "wallet"] as const;

export const subscriptionStatuses = ["NONE", "PENDING", "SUBSCRIBED", "UNSUBSCRIBED"] as const;

/** The source of a customer's consent or refusal. */
export const subscriptionSources = ["join", "api", "customer", "import", "link", "bounce"] as const;

/** The reasons why an address is suppressed. */
export const suppressedReasons = ["bounced", "complained", "refused"] as const;

const status = () => oneOf(...subscriptionStatuses);
const source = () => oneOf(...subscriptionSources).nullable();

/**
 * A customer's subscription to messages. A customer without a row has the status `NONE` on each channel, and `null` in all other
 * fields.
 */
export const subscriptionRecord = record("subscriptions", ["userId"], {
  userId: text().refersTo("users", "id"),
  emailStatus: status(),
  /** The time of the consent or its withdrawal; `null` while the status is `NONE`, like the source and the text. */
  emailAt: time().nullable(),
  emailSource: source(),
  /** The consent text that the customer agreed to, as shown to all customers. */
  emailText: text().nullable(),
  walletStatus: status(),
  walletAt: time().nullable(),
  walletSource: source(),
  walletText: text().nullable(),
  /** Why the address is suppressed, until it changes; `null` if it may get emails. */
  suppressedReason: oneOf(...suppressedReasons).nullable(),
  suppressedAt: time().nullable(),
  /** The time when someone who reads the address's email confirmed owning it. */
  emailConfirmedAt: time().nullable(),
  /** The time when the user got this address; `null` if no email was ever sent to a previous address. */
  addressSince: time().nullable(),
  /** A canonical BCP 47 tag. */
  language: text().nullable(),
});

export type StoredSubscription = RowOf<typeof subscriptionRecord>;

export type SubscriptionStatus = StoredSubscription["emailStatus"];
export type SubscriptionSource = NonNullable<StoredSubscription["emailSource"]>;
export type SuppressedReason = NonNullable<StoredSubscription["suppressedReason"]>;

export interface SubscriptionReads {
  findSubscription(organizationId: string, userId: string): Step<StoredSubscription | null>;
  /** Returns the subscriptions of these users (at most 1,000), by user id. Skips users without a subscription. */
  subscriptionsOf(organizationId: string, userIds: readonly string[]): Step<StoredSubscription[]>;
}

export interface SubscriptionWrites {
  /**
   * Stores the subscription, and replaces an existing one. It is removed together with the user.
   * @throws an error if there is no such user.
   */
  putSubscription(organizationId: string, subscription: StoredSubscription): Step<void>;
}
