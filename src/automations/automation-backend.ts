import { resolveActor } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { isLoyaltyError } from "../base/errors.js";
import { type Clock, dateOf, HOUR_MS, MINUTE_MS, nextUpdatedAt } from "../base/values/clock.js";
import { createClaim, type Engine } from "../kernel/engine.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import { computeNextAttemptAt, type RandomSource, type RetrySchedule } from "../kernel/retries.js";
import type { BackendParts, Tenant } from "../kernel/tenant.js";
import { zoneOf } from "../settings/schema.js";
import { automationJobs, type StoredAutomation, type StoredAutomationRun } from "../storage/automations.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import {
  buildExpiringPoints,
  createDateTest,
  DAY_DONE,
  formatOccasion,
  getLatestDueDay,
  getNextCheckTime,
  getNextDay,
  getTriggerTime,
  parseDay,
} from "./dates.js";
import { followOutbox } from "./follow-outbox.js";
import { type Attempt, type ClaimedRuns, executeDueRuns } from "./run.js";
import { type DateTrigger, parseTrigger } from "./schema.js";
import { insertRuns, MAX_NEW_RUNS, scheduleAutomation } from "./waiting-runs.js";

/** Maximum number of consecutive transactions for one automation's runs, before other automations take their turn. */
const MAX_BATCHES_PER_CLAIM = 20;

/** Maximum number of organizations per poll. */
const MAX_ORGANIZATIONS = 100;

/** Runs due automations for all organizations. Used by the workers. */
export class AutomationBackend {
  readonly clock: Clock;

  constructor(
    private readonly engine: Pick<
      BackendParts,
      "storage" | "clock" | "uuid" | "config" | "changes" | "delivery" | "openTenant"
    >,
    readonly onError: ErrorListener,
  ) {
    this.clock = engine.clock;
  }

  /** Returns the IDs of up to `limit` organizations whose automations might have work that is due now. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.all.queuesWithDueJobs(automationJobs, this.clock(), limit));
  }

  /**
   * Registers a listener for commits in this process that might start automations.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.engine.delivery.outbox?.onWork(listener) ?? (() => {});
  }

  /**
   * Processes an organization's next batch of due work: starts automations in response to events and dates, and executes a batch of
   * one automation's runs.
   * @returns whether more work might be due now.
   */
  async advance(organizationId: string): Promise<boolean> {
    const { engine } = this;
    const isBehind = await followOutbox(engine, organizationId);
    const { hasDueDates, hasDueRuns } = await this.findDueLanes(organizationId);
    const hasMoreDates = hasDueDates && (await createDateRuns(engine, organizationId));
    const hasMoreRuns = (hasDueRuns || hasMoreDates) && (await this.executeNextClaim(organizationId));
    return isBehind || hasMoreDates || hasMoreRuns;
  }

  /** Processes all work that is due now, for all organizations. */
  async runDue(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      for (const organizationId of await this.queuesWithDueJobs(MAX_ORGANIZATIONS))
        while (await this.advance(organizationId)) hasMore = true;
    }
  }

  private findDueLanes(
    organizationId: string,
  ): Promise<{ readonly hasDueDates: boolean; readonly hasDueRuns: boolean }> {
    const { storage, clock } = this.engine;
    const now = clock();
    return storage.snapshot(organizationId, function* (reader) {
      const count = (lane: "date" | "run") => reader.countDueJobs(automationJobs, lane, now, 1);
      return { hasDueDates: (yield* count("date")) > 0, hasDueRuns: (yield* count("run")) > 0 };
    });
  }

  private async executeNextClaim(organizationId: string): Promise<boolean> {
    const claimedRuns = await this.claim(organizationId);
    if (claimedRuns === null) return false;
    const actor = resolveActor({ kind: "automation", id: claimedRuns.automationId });
    const tenant = this.engine.openTenant(organizationId, actor);
    for (let count = 0; count < MAX_BATCHES_PER_CLAIM; count += 1)
      if (!(await this.executeBatch(tenant, claimedRuns))) return true;
    await this.release(organizationId, claimedRuns);
    return true;
  }

  /** Claims the automation whose runs have been due longest, for 60 seconds. Returns `null` if no runs are due. */
  private async claim(organizationId: string): Promise<ClaimedRuns | null> {
    const { engine } = this;
    const claim = createClaim(engine, 1);
    return engine.changes.run(organizationId, function* (tx) {
      if ((yield* tx.lockQueue(automationJobs)) === null) return null;
      const [job] = yield* tx.claimJobs(automationJobs, "run", claim);
      if (job === undefined) return null;
      const { automationId, revision } = job;
      return { automationId, revision, lease: claim.lease };
    });
  }

  /**
   * Executes the next due runs in one transaction.
   * @returns whether more may be due.
   */
  private async executeBatch(tenant: Tenant, claimedRuns: ClaimedRuns): Promise<boolean> {
    const attempt: Attempt = { runId: null, actionIndex: 0 };
    try {
      return await tenant.change(["automations.run"], function* (change) {
        attempt.runId = null;
        return yield* executeDueRuns({ ...change, now: tenant.now() }, claimedRuns, attempt);
      });
    } catch (error) {
      if (attempt.runId === null) throw error;
      if (!isPermanentFailure(error)) this.onError(error);
      await this.recordAttemptFailure(tenant.organizationId, attempt, error);
      return true;
    }
  }

  private async recordAttemptFailure(
    organizationId: string,
    attempt: Attempt,
    error: unknown,
  ): Promise<void> {
    const { engine } = this;
    const retryContext = { now: engine.clock(), random: Math.random };
    await engine.changes.run(organizationId, (tx) => recordFailure(tx, attempt, error, retryContext));
  }

  /** Releases the claim, so that another worker can execute the remaining runs. */
  private async release(
    organizationId: string,
    { automationId, revision, lease }: ClaimedRuns,
  ): Promise<void> {
    const { engine } = this;
    await engine.changes.run(organizationId, function* (tx) {
      if ((yield* tx.lockQueue(automationJobs)) === null) return;
      const nextAttemptAt = yield* tx.nextAutomationRunAt(automationId);
      const result = { subject: automationId, revision, nextAttemptAt };
      yield* tx.recordResults(automationJobs, "run", lease, [result], engine.clock());
    });
  }
}

/** A failed run is retried for 24 hours. */
const RETRY_SCHEDULE: RetrySchedule = {
  delays: [
    MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
    8 * HOUR_MS,
    8 * HOUR_MS,
  ],
  isEndless: false,
};

/** Returns whether an error is permanent, meaning that a retry would fail too. */
function isPermanentFailure(error: unknown): boolean {
  return isLoyaltyError(error) && error.status < 500;
}

/**
 * Records a run's failure after its transaction was rolled back. If an action was refused, the failure is permanent. Otherwise, the
 * run is retried later. Does nothing if another worker has finished or skipped the run in the meantime.
 */
function* recordFailure(
  tx: StorageTransaction,
  { runId, actionIndex }: Attempt,
  error: unknown,
  { now, random }: { readonly now: number; readonly random: RandomSource },
): Step<void> {
  if (runId === null || (yield* tx.lockQueue(automationJobs)) === null) return;
  const run = yield* tx.findAutomationRun(runId);
  if (run === null || run.status !== "WAITING") return;
  const failedRun = failRun(run, actionIndex, error, { now, random });
  yield* tx.updateAutomationRuns([failedRun]);
}

function failRun(
  run: StoredAutomationRun,
  actionIndex: number,
  error: unknown,
  { now, random }: { readonly now: number; readonly random: RandomSource },
): StoredAutomationRun {
  const updatedAt = nextUpdatedAt(run.updatedAt, now);
  const endedRun = { ...run, status: "FAILED", actionIndex, nextAttemptAt: null, updatedAt } as const;
  if (isLoyaltyError(error) && isPermanentFailure(error)) return { ...endedRun, reason: error.code };
  const attempts = run.attempts + 1;
  const nextAttemptAt = computeNextAttemptAt(RETRY_SCHEDULE, { failures: attempts, now }, random);
  return nextAttemptAt === null
    ? { ...endedRun, attempts, reason: "gave_up" }
    : { ...run, attempts, nextAttemptAt, updatedAt };
}

/** An automation that is triggered by dates, with its progress. */
interface DateProgress {
  readonly automation: StoredAutomation;
  readonly trigger: DateTrigger;
  readonly timeZone: string;
  /** The day for which runs are being created, or will be created once its trigger time arrives. */
  readonly day: number;
  readonly time: number;
}

/** A batch of the customers for one automation's day, read from one snapshot. */
interface DateBatch extends DateProgress, DateCustomers {}

interface DateCustomers {
  /** The customers' ordinals, ascending. Customers who already have their run are left out. */
  readonly ordinals: readonly number[];
  /** The ordinal from which to continue, or {@link DAY_DONE} after the last one. */
  readonly cursor: number;
}

/** Maximum number of customers per search for points that expire. */
const MAX_SEARCHED_CUSTOMERS = 5_000;

/**
 * Creates runs for the next batch of customers whose date is today. A cursor tracks progress through the day's customers. Each run
 * stores the date it was created for, so no customer gets two runs for the same date.
 * @returns whether there might be more to do now.
 */
async function createDateRuns(
  engine: Pick<Engine, "storage" | "clock" | "uuid" | "config" | "changes">,
  organizationId: string,
): Promise<boolean> {
  const now = engine.clock();
  const batch = await engine.storage.snapshot(organizationId, (reader) => readDateBatch(reader, now));
  if (batch === "behind") return false;
  await engine.changes.run(organizationId, (tx) =>
    batch === null ? scheduleNextChecks(tx, now) : insertDateRuns(engine, tx, batch),
  );
  return batch !== null;
}

/**
 * Reads the next slice for the automation whose day has waited longest. Returns `null` if no day is due yet, and `"behind"` if runs
 * that are already due must come first, so that they never pile up.
 */
function* readDateBatch(reader: StorageReader, now: number): Step<DateBatch | "behind" | null> {
  const dueDates = (yield* listDateProgress(reader, now)).filter(({ time }) => time <= now);
  for (const progress of dueDates.sort((a, b) => a.time - b.time)) {
    const { automation } = progress;
    const waitingRuns = yield* reader.dueAutomationRuns(automation.id, now, MAX_NEW_RUNS);
    if (waitingRuns.length === MAX_NEW_RUNS) continue;
    return { ...progress, ...(yield* readDateCustomers(reader, progress, now)) };
  }
  return dueDates.length === 0 ? null : "behind";
}

function* readDateCustomers(
  reader: StorageReader,
  { automation, trigger, timeZone, day }: DateProgress,
  now: number,
): Step<DateCustomers> {
  const firstOrdinal = automation.dateCursor >= DAY_DONE ? 0 : automation.dateCursor;
  const getCursorAfter = (ordinals: readonly number[]) => (ordinals.at(-1) ?? 0) + 1;
  if ("metadata" in trigger) {
    const [matchingUsers] = yield* reader.matchBehavior([createDateTest(trigger, day)]);
    const ordinals = matchingUsers?.from(firstOrdinal, MAX_NEW_RUNS) ?? [];
    return { ordinals, cursor: ordinals.length < MAX_NEW_RUNS ? DAY_DONE : getCursorAfter(ordinals) };
  }
  const points = buildExpiringPoints(trigger, timeZone, day, now);
  const endOrdinal = firstOrdinal + MAX_SEARCHED_CUSTOMERS;
  const ordinals = yield* reader.holdersOfExpiringPoints(points, firstOrdinal, endOrdinal, MAX_NEW_RUNS);
  if (ordinals.length === MAX_NEW_RUNS) return { ordinals, cursor: getCursorAfter(ordinals) };
  const [nextUser] = yield* reader.listUsers(endOrdinal - 1, 1);
  return { ordinals, cursor: nextUser?.ordinal ?? DAY_DONE };
}

function* listDateProgress(reader: StorageReader, now: number): Step<DateProgress[]> {
  const timeZone = zoneOf(yield* reader.findSettings());
  const progress: DateProgress[] = [];
  for (const automation of yield* reader.listAutomations()) {
    const dateTrigger = parseTrigger(automation);
    if (!("date" in dateTrigger) || !automation.isEnabled || automation.dateDay === null) continue;
    const trigger = dateTrigger.date;
    const startedDay = parseDay(automation.dateDay);
    const isDone = automation.dateCursor >= DAY_DONE;
    const day = isDone ? getNextDay(startedDay, getLatestDueDay(trigger, timeZone, now)) : startedDay;
    progress.push({ automation, trigger, timeZone, day, time: getTriggerTime(trigger, timeZone, day) });
  }
  return progress;
}

/** Schedules each automation's next date check for when its next day may begin. */
function* scheduleNextChecks(tx: StorageTransaction, now: number): Step<void> {
  if ((yield* tx.lockQueue(automationJobs)) === null) return;
  const timeZone = zoneOf(yield* tx.findSettings());
  for (const { automation, trigger, day } of yield* listDateProgress(tx, now)) {
    const nextCheckTime = getNextCheckTime(trigger, timeZone, day - 1, now);
    yield* scheduleAutomation(tx, { automationId: automation.id, lane: "date" }, nextCheckTime, now);
  }
}

function* insertDateRuns(
  engine: Pick<Engine, "clock" | "uuid" | "config">,
  tx: StorageTransaction,
  { automation, trigger, timeZone, day, time, ordinals, cursor }: DateBatch,
): Step<void> {
  if ((yield* tx.lockQueue(automationJobs)) === null) return;
  const { id, dateDay, dateCursor, on } = automation;
  const current = yield* tx.findAutomation(id);
  // Another worker has processed this slice, or the automation has changed.
  if (current === null || !current.isEnabled || current.on !== on) return;
  if (current.dateDay !== dateDay || current.dateCursor !== dateCursor) return;
  const users = ordinals.length === 0 ? [] : yield* tx.usersByOrdinal(ordinals);
  const occasion = formatOccasion(trigger, day);
  const newRuns = users.map(({ id: userId }) => ({ automation: current, userId, occasion, at: time }));
  yield* insertRuns(engine, tx, newRuns);
  yield* tx.updateAutomation({ ...current, dateDay: dateOf(day), dateCursor: cursor });
  const now = engine.clock();
  const nextCheckTime = cursor === DAY_DONE ? getNextCheckTime(trigger, timeZone, day, now) : now;
  yield* scheduleAutomation(tx, { automationId: id, lane: "date" }, nextCheckTime, now);
}
