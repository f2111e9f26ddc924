import type { Step } from "../base/concurrency/step.js";
import { DAY_MS, nextUpdatedAt } from "../base/values/clock.js";
import { newId } from "../base/values/ids.js";
import type { Engine } from "../kernel/engine.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { zoneOf } from "../settings/schema.js";
import {
  automationJobs,
  type StoredAutomation,
  type StoredAutomationJob,
  type StoredAutomationRun,
} from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { isRepeatLimitReached } from "./run-checks.js";
import { automationStateOf, parseRepeatLimit } from "./schema.js";

/**
 * Maximum number of runs created per transaction. Transactions must be short, because they hold up the organization's other
 * changes.
 */
export const MAX_NEW_RUNS = 250;

/** Number of expired runs to remove for each new run, so that they never pile up. */
const MAX_REMOVALS_PER_INSERT = 2;

/** A run to create for a customer. `occasion` is the event's ID or the date of the anniversary. */
export interface NewRun {
  readonly automation: StoredAutomation;
  readonly userId: string;
  readonly occasion: string;
  /** The time of the event, or the time at which the date trigger fired. */
  readonly at: number;
}

/**
 * Inserts waiting runs in the caller's transaction, which must already hold the lock on the automation queue. No run is created
 * if the customer no longer exists, if there is already a run for the same event or date, or if the automation has reached its
 * repeat limit for the customer. If too many runs are already waiting, the new runs are inserted as skipped.
 * @param newRuns at most {@link MAX_NEW_RUNS} runs.
 */
export function* insertRuns(
  { clock, uuid, config: { limits, retention } }: Pick<Engine, "clock" | "uuid" | "config">,
  tx: StorageTransaction,
  newRuns: readonly NewRun[],
): Step<void> {
  if (newRuns.length === 0) return;
  const now = clock();
  const zone = zoneOf(yield* tx.findSettings());
  const userIds = [...new Set(newRuns.map(({ userId }) => userId))];
  const existingIds = new Set((yield* tx.usersById(userIds)).map(({ id }) => id));
  const waitingCount = yield* tx.countOf("waitingAutomationRuns");
  let remainingCapacity = limits.waitingAutomationRuns - waitingCount;
  const runs: StoredAutomationRun[] = [];
  for (const { automation, userId, occasion, at } of newRuns) {
    if (!existingIds.has(userId)) continue;
    const { id: automationId, version, after } = automation;
    const per = parseRepeatLimit(automation);
    if (per !== "occasion" && after === 0) {
      const completion = yield* tx.findAutomationCompletion(automationId, userId);
      if (isRepeatLimitReached(per, completion?.doneAt ?? null, zone, now)) continue;
    }
    const hasCapacity = remainingCapacity > 0;
    remainingCapacity -= 1;
    runs.push({
      ...{ id: newId("atr", uuid), automationId, version, userId, occasion },
      ...(hasCapacity ? { status: "WAITING", reason: null } : { status: "SKIPPED", reason: "too_many_runs" }),
      ...{
        actionIndex: null,
        attempts: 0,
        dueAt: at + after * DAY_MS,
        nextAttemptAt: hasCapacity ? now : null,
      },
      ...{ createdAt: now, updatedAt: now },
    });
  }
  if (runs.length === 0) return;
  const expiredBefore = now - retention.runMs;
  yield* tx.removeAutomationRuns(expiredBefore, runs.length * MAX_REMOVALS_PER_INSERT);
  const insertedIds = new Set(yield* tx.insertAutomationRuns(runs));
  const waitingRuns = runs.filter(({ id, status }) => insertedIds.has(id) && status === "WAITING");
  for (const id of new Set(waitingRuns.map(({ automationId }) => automationId)))
    yield* scheduleRuns(tx, id, now);
}

/** The revision of every automation job. It never changes, because the automation's rows alone determine the remaining work. */
const REVISION = 1;

/**
 * Schedules the job in one of an automation's lanes, replacing any existing job. The `run` job executes runs, and the `date` job
 * checks dates. The caller's transaction must already hold the lock on the automation queue.
 * @param at when the job is due, or `null` to remove the existing job without scheduling another.
 */
export function* scheduleAutomation(
  tx: StorageTransaction,
  { automationId, lane }: Pick<StoredAutomationJob, "automationId" | "lane">,
  at: number | null,
  now: number,
): Step<void> {
  yield* tx.deleteJobs(automationJobs, lane, [automationId]);
  if (at === null) return;
  const job = { automationId, lane, revision: REVISION, nextAttemptAt: at, createdAt: now };
  yield* tx.putJobs(automationJobs, [job]);
}

/** Schedules the job that executes an automation's runs, which is due when the earliest of the runs is. */
function* scheduleRuns(tx: StorageTransaction, automationId: string, now: number): Step<void> {
  const at = yield* tx.nextAutomationRunAt(automationId);
  yield* scheduleAutomation(tx, { automationId, lane: "run" }, at, now);
}

/** Disables an automation whose creator is no longer allowed to perform its actions, and skips its waiting runs. */
export function* disableAutomation({ tenant, tx, record }: Change, automation: StoredAutomation): Step<void> {
  const updatedAt = nextUpdatedAt(automation.updatedAt, tenant.now());
  const disabledAutomation: StoredAutomation = { ...automation, isEnabled: false, updatedAt };
  yield* tx.updateAutomation(disabledAutomation);
  yield* skipRuns(tenant, tx, disabledAutomation);
  record("automation.disabled", automationStateOf(disabledAutomation));
}

/** Skips the waiting runs of a disabled or deleted automation. */
export function* skipRuns(
  tenant: Tenant,
  tx: StorageTransaction,
  { id }: Pick<StoredAutomation, "id">,
): Step<void> {
  yield* tx.skipWaitingRuns(id, "disabled", tenant.now());
}
