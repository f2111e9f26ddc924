import { DAY } from "../jobs/retries.js";

/** Maximum number of notifications per card that Google sends within 24 hours, counting messages and updates together. */
const MOST_NOTICES = 3;

/**
 * Returns whether Google may be asked for another notification about a card.
 * @param times of the newest requested notifications, in milliseconds, oldest first.
 */
export function isNotificationAllowed(times: readonly number[], now: number): boolean {
  return times.filter((time) => time > now - DAY).length < MOST_NOTICES;
}

/** Adds a notification to the list and keeps only the newest ones. */
export function withNotification(times: readonly number[], now: number): readonly number[] {
  return [...times, now].slice(-MOST_NOTICES);
}
