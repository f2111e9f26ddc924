import type { Step } from "../base/concurrency/step.js";
import { type AutomationLane, automationJobs } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** The revision of every automation job. It never changes, because the automation's rows alone determine the remaining work. */
const REVISION = 1;

/**
 * Schedules the job in one of an automation's lanes, replacing any existing job. The `run` job executes runs, and the `date` job
 * checks dates. The caller's transaction must already hold the lock on the automation queue.
 * @param at when the job is due, or `null` to remove the existing job without scheduling another.
 */
export function* scheduleAutomation(
  tx: StorageTransaction,
  automationId: string,
  lane: AutomationLane,
  at: number | null,
  now: number,
): Step<void> {
  yield* tx.deleteJobs(automationJobs, lane, [automationId]);
  if (at === null) return;
  const job = { automationId, lane, revision: REVISION, nextAttemptAt: at, createdAt: now };
  yield* tx.putJobs(automationJobs, [job]);
}

/** Schedules the job that executes an automation's runs, which is due when the earliest of the runs is. */
export function* scheduleRuns(tx: StorageTransaction, automationId: string, now: number): Step<void> {
  const at = yield* tx.nextAutomationRunAt(automationId);
  yield* scheduleAutomation(tx, automationId, "run", at, now);
}
