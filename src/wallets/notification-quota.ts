import { DAY_MS } from "../base/values/clock.js";

/** Maximum number of notifications per card that Google sends within 24 hours, counting messages and updates together. */
const MOST_NOTICES = 3;

/**
 * Returns whether Google allows another notification about a card.
 * @param times the times at which the most recent notifications were requested, in milliseconds since the Unix epoch, oldest first.
 */
export function isNotificationAllowed(times: readonly number[], now: number): boolean {
  return times.filter((time) => time > now - DAY_MS).length < MOST_NOTICES;
}

/** Returns the notification times with `now` appended, keeping only the most recent ones. */
export function withNotification(times: readonly number[], now: number): readonly number[] {
  return [...times, now].slice(-MOST_NOTICES);
}
