import type { StoredWalletCard } from "../storage/wallets.js";
import { isNotificationAllowed } from "./notification-quota.js";

/**
 * Returns how many API calls it takes to put a new message on a card at Google: 0 if Google doesn't have the card, 1 to add the
 * message or write it silently, or 2 if an older message must be removed first. If a stamp hasn't been sent to Google yet, sending
 * it takes a separate call, which isn't counted.
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

/**
 * Returns how long the given number of API calls takes at the given rate, in whole milliseconds. For example, 100,000 calls at 20
 * per second take 5,000,000 ms.
 */
export function googleMs(calls: number, callsPerSecond: number): number {
  return Math.ceil((calls * 1_000) / callsPerSecond);
}
