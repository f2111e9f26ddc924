import { DAY } from "../jobs/retries.js";

/** Google notifies people of a card so often in any 24 hours, of messages and updates together. */
const MOST_NOTICES = 3;

/**
 * Returns whether Google may be asked to notify people of a card once more.
 * @param times those of the newest notifications that it was asked for, in milliseconds, oldest first.
 */
export function isNotificationAllowed(times: readonly number[], now: number): boolean {
  return times.filter((time) => time > now - DAY).length < MOST_NOTICES;
}

/** Returns the times of the newest notifications with one more. */
export function withNotification(times: readonly number[], now: number): readonly number[] {
  return [...times, now].slice(-MOST_NOTICES);
}
