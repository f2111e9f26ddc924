import { DAY_MS } from "../base/values/clock.js";
import type { StoredWalletCard } from "../storage/wallets.js";

/** Maximum number of notifications per card that Google sends within 24 hours, counting messages and updates together. */
const MAX_NOTIFICATIONS_PER_DAY = 3;

/**
 * Returns whether Google allows another notification about a card.
 * @param times the times at which the most recent notifications were requested, in milliseconds since the Unix epoch, oldest first.
 */
export function isNotificationAllowed(times: readonly number[], now: number): boolean {
  return times.filter((time) => time > now - DAY_MS).length < MAX_NOTIFICATIONS_PER_DAY;
}

/** Returns the notification times with `now` appended, keeping only the most recent ones. */
export function appendNotification(times: readonly number[], now: number): readonly number[] {
  return [...times, now].slice(-MAX_NOTIFICATIONS_PER_DAY);
}

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
export function estimateGoogleMs(calls: number, callsPerSecond: number): number {
  return Math.ceil((calls * 1_000) / callsPerSecond);
}
