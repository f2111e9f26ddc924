import type { StoredWalletCard } from "../storage/wallets.js";
import { isNotificationAllowed } from "./notification-quota.js";

/**
 * Returns how many calls it takes to put a new message on a card at Google: none if Google doesn't have the card; one to add the
 * message or write it silently; and one more to remove an older message first. A stamp that hasn't been sent to Google yet takes a
 * call of its own.
 */
export function countGoogleCalls(
  {
    atGoogleSince,
    messageId,
    notificationTimes,
  }: Pick<StoredWalletCard, "atGoogleSince" | "messageId" | "notificationTimes">,
  now: number,
): 0 | 1 | 2 {
  if (atGoogleSince === null) return 0;
  return messageId !== null && isNotificationAllowed(notificationTimes, now) ? 2 : 1;
}

/** Returns how many whole milliseconds the calls take at the given rate: 5,000,000 for 100,000 calls at 20 a second. */
export function googleMs(calls: number, callsPerSecond: number): number {
  return Math.ceil((calls * 1_000) / callsPerSecond);
}
