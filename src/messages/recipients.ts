import type { MessageChannel } from "../resources/subscription.js";
import type { MessageDeliveryReason } from "../storage/mail.js";
import type { MessageOrder } from "../storage/messages.js";
import type { StoredSubscription } from "../storage/subscriptions.js";

/** The reason why a customer doesn't get a message on a channel. */
export type SkipReason = Extract<
  MessageDeliveryReason,
  | "customer_deleted"
  | "canceled"
  | "expired"
  | "no_address"
  | "no_wallet"
  | "suppressed"
  | "unsubscribed"
  | "no_consent"
  | "capped"
>;

/** The current facts that decide whether a customer gets a message on a channel. */
export interface RecipientFacts {
  /** `false` if the customer is deleted. */
  readonly isThere: boolean;
  /** The message is canceled. */
  readonly isCanceled: boolean;
  /** The time for sending the message has ended. */
  readonly isExpired: boolean;
  /** The customer has an email address. */
  readonly hasAddress: boolean;
  /** One of the customer's passes for the message's template is in a wallet. */
  readonly hasWallet: boolean;
  /** `null` if the customer has never stated a preference. */
  readonly subscription: StoredSubscription | null;
  /** `true` if cards also show messages to customers without a stated preference. */
  readonly isWalletDefault: boolean;
  /** The customer has reached the organization's frequency cap, and the message respects the cap. */
  readonly isCapped: boolean;
}

/** Returns the first reason that prevents a message from reaching a customer on a channel; `null` if it can be sent. */
export function firstSkipReason(channel: MessageChannel, facts: RecipientFacts): SkipReason | null {
  if (!facts.isThere) return "customer_deleted";
  if (facts.isCanceled) return "canceled";
  if (facts.isExpired) return "expired";
  const refusal = channel === "email" ? refusalOfMail(facts) : refusalOfWallet(facts);
  return refusal ?? (facts.isCapped ? "capped" : null);
}

function refusalOfMail({ hasAddress, subscription }: RecipientFacts): SkipReason | null {
  if (!hasAddress) return "no_address";
  if (subscription === null) return "no_consent";
  const { suppressedReason, emailStatus, emailSource, emailConfirmedAt } = subscription;
  if (suppressedReason !== null) return "suppressed";
  if (emailStatus === "UNSUBSCRIBED") return "unsubscribed";
  // Anyone can enter any address on the sign-up page.
  const isConfirmed = emailSource !== "join" || emailConfirmedAt !== null;
  return emailStatus === "SUBSCRIBED" && isConfirmed ? null : "no_consent";
}

function refusalOfWallet({ hasWallet, subscription, isWalletDefault }: RecipientFacts): SkipReason | null {
  if (!hasWallet) return "no_wallet";
  const status = subscription?.walletStatus ?? "NONE";
  if (status === "UNSUBSCRIBED") return "unsubscribed";
  return status === "SUBSCRIBED" || isWalletDefault ? null : "no_consent";
}

/** Returns whether a skip reason depends on the customer's consent, which may still change until the email is claimed. */
export function isConsentReason(reason: SkipReason | null): boolean {
  return reason === "no_consent" || reason === "unsubscribed";
}

/** A channel on which a customer gets a delivery, with the reason why the delivery is skipped; `null` if it is sent. */
export interface ChannelChoice {
  readonly channel: MessageChannel;
  readonly reason: SkipReason | null;
}

/**
 * Returns the channels on which a customer gets deliveries. Depending on the order, these are all of the message's channels, or
 * only the first one that nothing prevents; if every channel is prevented, the last one.
 * @param channels the message's channels, in order.
 */
export function channelsFor(
  order: MessageOrder,
  channels: readonly MessageChannel[],
  reasonOf: (channel: MessageChannel) => SkipReason | null,
): readonly ChannelChoice[] {
  const chosen = channels.map((channel) => ({ channel, reason: reasonOf(channel) }));
  if (order === "each") return chosen;
  const reached = chosen.find(({ reason }) => reason === null) ?? chosen.at(-1);
  return reached === undefined ? [] : [reached];
}

/** Returns how many deliveries a message creates per audience member. */
export function deliveriesPerMember(order: MessageOrder, channels: readonly MessageChannel[]): number {
  return order === "each" ? channels.length : 1;
}
