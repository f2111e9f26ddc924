import { dayIn } from "../base/values/calendar-days.js";
import { HOUR_MS } from "../base/values/clock.js";
import type { StoredAutomationRun } from "../storage/automations.js";
import type { AutomationPer } from "./schema.js";

/** A run that begins more than this many milliseconds after it was due is skipped. */
const MAX_DELAY_MS = 24 * HOUR_MS;

/** Maximum number of runs per customer within an hour, across all automations. */
export const MAX_RUNS_PER_WINDOW = 5;
export const RUN_WINDOW_MS = HOUR_MS;

/** The reason why a run was skipped. */
export type RunSkipReason = "condition" | "late" | "too_many_runs" | "done_before" | "disabled";

/** Returns whether it is too late to start a run that was never attempted, because it was due too long ago. */
export function isLate(
  { dueAt, attempts }: Pick<StoredAutomationRun, "dueAt" | "attempts">,
  now: number,
): boolean {
  return attempts === 0 && now - dueAt > MAX_DELAY_MS;
}

/** Returns whether a run is still waiting for its automation's delay to pass. Until then, only the run's condition is checked. */
export function isWaitingForDelay({ dueAt }: Pick<StoredAutomationRun, "dueAt">, now: number): boolean {
  return now < dueAt;
}

/**
 * Returns whether an automation's repeat limit currently prevents another run for a customer.
 * @param doneAt the time of the last completed run, or `null` if there is none.
 * @param timeZone the time zone in which days are counted.
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
