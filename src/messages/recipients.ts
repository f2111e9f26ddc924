import type { MessageChannel } from "../resources/subscription.js";
import type { MessageDeliveryReason } from "../storage/mail.js";
import type { MessageOrder } from "../storage/messages.js";
import type { StoredSubscription } from "../storage/subscriptions.js";

/** Why a customer does not get a message by a channel. */
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

/** The current facts that decide whether a customer gets a message. */
export interface RecipientFacts {
  /** `false` for a deleted customer. */
  readonly isThere: boolean;
  /** The message is canceled. */
  readonly isCanceled: boolean;
  /** The time until which the message is sent is over. */
  readonly isExpired: boolean;
  /** The customer has an address that mail can be sent to. */
  readonly hasAddress: boolean;
  /** A wallet has a pass of the message's template that is the customer's. */
  readonly hasWallet: boolean;
  /** `null` for a customer without a stated preference. */
  readonly subscription: StoredSubscription | null;
  /** True if cards of customers without a stated preference show messages. */
  readonly isWalletDefault: boolean;
  /** The customer has had as many messages as the organization's cap allows, and the message respects it. */
  readonly isCapped: boolean;
}

/** Returns the first reason that keeps a message from a customer on a channel; `null` if it is to be sent. */
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
  // Anyone can type any address on the sign-up page.
  const isConfirmed = emailSource !== "join" || emailConfirmedAt !== null;
  return emailStatus === "SUBSCRIBED" && isConfirmed ? null : "no_consent";
}

function refusalOfWallet({ hasWallet, subscription, isWalletDefault }: RecipientFacts): SkipReason | null {
  if (!hasWallet) return "no_wallet";
  const status = subscription?.walletStatus ?? "NONE";
  if (status === "UNSUBSCRIBED") return "unsubscribed";
  return status === "SUBSCRIBED" || isWalletDefault ? null : "no_consent";
}

/** True for what a customer may say otherwise until the claim of the mail, which decides then. */
export function isConsentReason(reason: SkipReason | null): boolean {
  return reason === "no_consent" || reason === "unsubscribed";
}

/** A channel that a customer has a delivery on, and why it is skipped; `null` for one that is to be sent. */
export interface ChannelChoice {
  readonly channel: MessageChannel;
  readonly reason: SkipReason | null;
}

/**
 * Returns the channels that a customer gets deliveries on: every channel of the message, or the first that nothing prevents;
 * otherwise the last.
 * @param channels of the message, in its order.
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

/** Returns how many deliveries a message makes for each member of its audience. */
export function deliveriesPerMember(order: MessageOrder, channels: readonly MessageChannel[]): number {
  return order === "each" ? channels.length : 1;
}
