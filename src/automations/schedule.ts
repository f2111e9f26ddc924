import type { Step } from "../concurrency/step.js";
import { type AutomationLane, automationJobs } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";

/** The work that is left at an automation follows from its rows alone. */
const REVISION = 1;

/**
 * Has something done for an automation at a time, in place of when it was due before, in a running transaction that has the queue.
 * @param at `null` for never.
 */
export function* scheduleAutomation(
  tx: StorageTransaction,
  organizationId: string,
  automationId: string,
  lane: AutomationLane,
  at: number | null,
  now: number,
): Step<void> {
  yield* tx.deleteJobs(organizationId, automationJobs, lane, [automationId]);
  if (at === null) return;
  const job = { automationId, lane, revision: REVISION, nextAttemptAt: at, createdAt: now };
  yield* tx.putJobs(organizationId, automationJobs, [job]);
}

/** Has the runs of an automation done when the first of them is due. */
export function* scheduleRuns(
  tx: StorageTransaction,
  organizationId: string,
  automationId: string,
  now: number,
): Step<void> {
  const at = yield* tx.nextAutomationRunAt(organizationId, automationId);
  yield* scheduleAutomation(tx, organizationId, automationId, "run", at, now);
}
