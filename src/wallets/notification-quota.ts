import { DAY } from "../jobs/retries.js";

/** The most notifications about a card that Google sends within 24 hours, for messages and updates together. */
const MOST_NOTICES = 3;

/**
 * Returns whether Google may be asked to notify people about a card once more.
 * @param times of the newest requested notifications, in milliseconds, oldest first.
 */
export function isNotificationAllowed(times: readonly number[], now: number): boolean {
  return times.filter((time) => time > now - DAY).length < MOST_NOTICES;
}

/** Returns the times of the newest notifications with one more. */
export function withNotification(times: readonly number[], now: number): readonly number[] {
  return [...times, now].slice(-MOST_NOTICES);
}
