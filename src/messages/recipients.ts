import type { MessageDeliveryReason } from "../storage/mail.js";
import type { MessageOrder } from "../storage/messages.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { MessageChannel } from "./subscription-schema.js";

/** A reason why a customer doesn't receive a message on a channel. */
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

/** The current facts that determine whether a customer receives a message on a channel. */
export interface RecipientFacts {
  /** Whether the customer still exists. */
  readonly exists: boolean;
  readonly isCanceled: boolean;
  readonly isExpired: boolean;
  /** Whether the customer has an email address, even a suppressed one. */
  readonly hasAddress: boolean;
  /** Whether a wallet contains any of the customer's passes for the message's template. */
  readonly hasWallet: boolean;
  /** The customer's subscription, or `null` if the customer has never stated a preference. */
  readonly subscription: StoredSubscription | null;
  /** Whether cards show messages even to customers who have never stated a preference. */
  readonly isWalletDefault: boolean;
  /** Whether the message respects the organization's frequency cap and the customer has reached it. */
  readonly isCapped: boolean;
}

/** Returns the first reason why a message can't be sent to a customer on a channel, or `null` if it can. */
export function findSkipReason(channel: MessageChannel, facts: RecipientFacts): SkipReason | null {
  if (!facts.exists) return "customer_deleted";
  if (facts.isCanceled) return "canceled";
  if (facts.isExpired) return "expired";
  const skipReason = channel === "email" ? findMailSkipReason(facts) : findWalletSkipReason(facts);
  return skipReason ?? (facts.isCapped ? "capped" : null);
}

function findMailSkipReason({ hasAddress, subscription }: RecipientFacts): SkipReason | null {
  if (!hasAddress) return "no_address";
  if (subscription === null) return "no_consent";
  const { suppressedReason, emailStatus, emailSource, emailConfirmedAt } = subscription;
  if (suppressedReason !== null) return "suppressed";
  if (emailStatus === "UNSUBSCRIBED") return "unsubscribed";
  // Anyone can enter any address on the sign-up page.
  const isConfirmed = emailSource !== "join" || emailConfirmedAt !== null;
  return emailStatus === "SUBSCRIBED" && isConfirmed ? null : "no_consent";
}

function findWalletSkipReason({
  hasWallet,
  subscription,
  isWalletDefault,
}: RecipientFacts): SkipReason | null {
  if (!hasWallet) return "no_wallet";
  const status = subscription?.walletStatus ?? "NONE";
  if (status === "UNSUBSCRIBED") return "unsubscribed";
  return status === "SUBSCRIBED" || isWalletDefault ? null : "no_consent";
}

/** Returns whether a skip reason depends on the customer's consent, which can still change before an email is claimed. */
export function isConsentReason(reason: SkipReason | null): boolean {
  return reason === "no_consent" || reason === "unsubscribed";
}

/** A channel for a delivery to a customer. `reason` says why the delivery is skipped, or is `null` if it isn't skipped. */
export interface ChannelChoice {
  readonly channel: MessageChannel;
  readonly reason: SkipReason | null;
}

/**
 * Chooses the channels for a customer's deliveries. If the order is `each`, returns all of the message's channels. Otherwise,
 * returns only the first channel that can reach the customer, or the last channel if none can.
 * @param channels the message's channels, in order of preference.
 */
export function chooseChannels(
  order: MessageOrder,
  channels: readonly MessageChannel[],
  findReason: (channel: MessageChannel) => SkipReason | null,
): readonly ChannelChoice[] {
  const choices = channels.map((channel) => ({ channel, reason: findReason(channel) }));
  if (order === "each") return choices;
  const reachable = choices.find(({ reason }) => reason === null) ?? choices.at(-1);
  return reachable === undefined ? [] : [reachable];
}

/** Returns how many deliveries a message creates for each member of its audience. */
export function countDeliveriesPerMember(order: MessageOrder, channels: readonly MessageChannel[]): number {
  return order === "each" ? channels.length : 1;
}
