import type { Step } from "../base/concurrency/step.js";
import { dayIn } from "../base/values/calendar-days.js";
import { HOUR_MS } from "../base/values/clock.js";
import { readCurrentScopes } from "../kernel/caller-rights.js";
import type { AutomationContent, StoredAutomation, StoredAutomationRun } from "../storage/automations.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findReadScopes } from "./condition.js";
import { type AutomationPer, listAutomationScopes } from "./schema.js";

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

/** A version of an automation. `on` is set only for the current version, because nothing starts a past version. */
type AutomationVersion = AutomationContent & Partial<Pick<StoredAutomation, "on">>;

/**
 * Returns whether the creator of an automation version is still allowed to perform its actions and to read the data that its
 * condition and trigger read, including through the current filters of segments. Returns `false` if the creator's token or grant no
 * longer exists, has expired, or lacks a scope, or if the creator is a staff member who was removed or has a role that no longer
 * allows this. The host's own code is always allowed.
 */
export function* isCreatorStillAllowed(
  reader: StorageReader,
  organizationId: string,
  version: AutomationVersion,
  now: number,
): Step<boolean> {
  const { creatorId } = version;
  if (creatorId === null) return true;
  const creatorScopes = yield* readCurrentScopes(reader, organizationId, creatorId, now);
  if (creatorScopes === null) return false;
  const scopes = [
    ...["automation:manage", ...listAutomationScopes(version)],
    ...(yield* findReadScopes(reader, version)),
  ];
  return scopes.every((scope) => creatorScopes.includes(scope));
}
