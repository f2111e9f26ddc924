import type { AutomationPer } from "../resources/automation.js";
import type { StoredAutomationRun } from "../storage/automations.js";
import { dayIn } from "../values/calendar-days.js";

const HOUR_MS = 3_600_000;

/** A run that begins this much later than it was due is skipped, in milliseconds. */
const LATE_MS = 24 * HOUR_MS;

/** The most runs for a customer within an hour, of all automations together. */
export const MAX_RUNS_PER_WINDOW = 5;
export const RUN_WINDOW_MS = HOUR_MS;

/** Why a run is skipped. */
export type RunSkipReason = "condition" | "late" | "too_many_runs" | "done_before" | "disabled";

/** Returns whether a run that was never tried begins too late. */
export function isLate(
  { dueAt, attempts }: Pick<StoredAutomationRun, "dueAt" | "attempts">,
  now: number,
): boolean {
  return attempts === 0 && now - dueAt > LATE_MS;
}

/** Returns whether an automation waits for its days before it is done, and only its condition is asked now. */
export function isWaitingForDelay({ dueAt }: Pick<StoredAutomationRun, "dueAt">, now: number): boolean {
  return now < dueAt;
}

/**
 * Returns whether an automation has been done for a customer as often as it may be, for now.
 * @param doneAt the time of the last run that was done; `null` before the first.
 * @param timeZone days are counted in this zone.
 */
export function isRepeatLimitReached(
  per: AutomationPer,
  doneAt: number | null,
  timeZone: string,
  now: number,
): boolean {
  if (doneAt === null || per === "occasion") return false;
  if (per === "once") return true;
  return dayIn(timeZone, now) - dayIn(timeZone, doneAt) < per.everyDays;
}
