import type { StoredWalletCard } from "../storage/wallets.js";
import { isNotificationAllowed } from "./notification-quota.js";

/**
 * Returns how many calls bring a new message to a card at Google: none for a card that Google does not have, one to add the
 * message or to write it silently, and another one first to take an older message off. A stamp that Google has not heard of yet
 * takes its own call.
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

/** Returns how many whole milliseconds calls take at a pace: 5,000,000 for 100,000 at 20 a second. */
export function googleMs(calls: number, callsPerSecond: number): number {
  return Math.ceil((calls * 1_000) / callsPerSecond);
}
