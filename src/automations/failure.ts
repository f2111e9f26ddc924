import type { Step } from "../concurrency/step.js";
import { isLoyaltyError } from "../errors.js";
import { HOUR, MINUTE, nextAttempt, type RandomSource, type RetrySchedule } from "../jobs/retries.js";
import type { StoredAutomationRun } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { nextUpdatedAt } from "../values/clock.js";
import type { Attempt } from "./run.js";

/** A failed run is retried for 24 hours. */
const RETRIES: RetrySchedule = {
  delays: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR],
  isEndless: false,
};

/** Returns whether an error is permanent, meaning that a retry would fail too. */
export function isPermanentFailure(error: unknown): boolean {
  return isLoyaltyError(error) && error.status < 500;
}

/**
 * Records a run's failure after its transaction was rolled back. If an action was refused, the failure is permanent. Otherwise, the
 * run is retried later. Does nothing if another worker has finished or skipped the run in the meantime.
 */
export function* recordFailure(
  tx: StorageTransaction,
  organizationId: string,
  { runId, actionIndex }: Attempt,
  error: unknown,
  { now, random }: { readonly now: number; readonly random: RandomSource },
): Step<void> {
  if (runId === null || (yield* tx.findAutomationQueue(organizationId)) === null) return;
  const run = yield* tx.findAutomationRun(organizationId, runId);
  if (run === null || run.status !== "WAITING") return;
  const failed = failedRun(run, actionIndex, error, { now, random });
  yield* tx.updateAutomationRuns(organizationId, [failed]);
}

function failedRun(
  run: StoredAutomationRun,
  actionIndex: number,
  error: unknown,
  { now, random }: { readonly now: number; readonly random: RandomSource },
): StoredAutomationRun {
  const updatedAt = nextUpdatedAt(run.updatedAt, now);
  const ended = { ...run, status: "FAILED", actionIndex, nextAttemptAt: null, updatedAt } as const;
  if (isLoyaltyError(error) && isPermanentFailure(error)) return { ...ended, reason: error.code };
  const attempts = run.attempts + 1;
  const nextAttemptAt = nextAttempt(RETRIES, attempts, now, 0, random);
  return nextAttemptAt === null
    ? { ...ended, attempts, reason: "gave_up" }
    : { ...run, attempts, nextAttemptAt, updatedAt };
}
