import type { StoredWalletCard } from "../storage/wallets.js";
import { mayNotify } from "./notice-budget.js";

/** Google takes so many calls of an issuer in a second. */
const CALLS_PER_SECOND = 20;

/**
 * Returns how many calls bring a new message to a card at Google: none for a card that Google does not have, one to add the
 * message or to write it silently, and another one first to take an older message off. A stamp that Google has not heard of yet
 * takes its own call.
 */
export function googleCalls(
  {
    atGoogleSince,
    messageId,
    notificationTimes,
  }: Pick<StoredWalletCard, "atGoogleSince" | "messageId" | "notificationTimes">,
  now: number,
): 0 | 1 | 2 {
  if (atGoogleSince === null) return 0;
  return messageId !== null && mayNotify(notificationTimes, now) ? 2 : 1;
}

/** Returns how many whole seconds Google takes for calls, at the pace that it allows: 5,000 for 100,000. */
export function googleSeconds(calls: number): number {
  return Math.ceil(calls / CALLS_PER_SECOND);
}
