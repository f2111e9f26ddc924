import { resolveActor } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { isLoyaltyError } from "../base/errors.js";
import { type Clock, HOUR_MS, MINUTE_MS, nextUpdatedAt } from "../base/values/clock.js";
import { createClaim } from "../kernel/claims.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import { nextAttempt, type RandomSource, type RetrySchedule } from "../kernel/retries.js";
import type { BackendParts, Tenant } from "../kernel/tenant.js";
import { automationJobs, type StoredAutomationRun } from "../storage/automations.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { createDateRuns } from "./date-batch.js";
import { followOutbox } from "./follow-outbox.js";
import { type Attempt, type ClaimedRuns, executeDueRuns } from "./run.js";

/** Maximum number of consecutive transactions for one automation's runs, before other automations take their turn. */
const TURNS = 20;

/** Maximum number of organizations per poll. */
const SERVED = 100;

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

  /** Returns the IDs of at most `limit` organizations whose automations might have work that is due now. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.queuesWithDueJobs(automationJobs, this.clock(), limit));
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
    const isBehind = await engine.changes.track(followOutbox(engine, organizationId));
    const { date, run: runs } = await this.due(organizationId);
    const hasDates = date && (await engine.changes.track(createDateRuns(engine, organizationId)));
    const hasRuns = (runs || hasDates) && (await this.runBatch(organizationId));
    return isBehind || hasDates || hasRuns;
  }

  /** Processes all work that is due now, for all organizations. */
  async runDue(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      hasMore = false;
      for (const organizationId of await this.queuesWithDueJobs(SERVED))
        while (await this.advance(organizationId)) hasMore = true;
    }
  }

  private due(organizationId: string): Promise<{ readonly date: boolean; readonly run: boolean }> {
    const { storage, clock } = this.engine;
    const now = clock();
    return storage.snapshot(
      function* (reader) {
        const count = (lane: "date" | "run") =>
          reader.countDueJobs(organizationId, automationJobs, lane, now, 1);
        return { date: (yield* count("date")) > 0, run: (yield* count("run")) > 0 };
      },
      { organizationId },
    );
  }

  private async runBatch(organizationId: string): Promise<boolean> {
    const claimed = await this.claim(organizationId);
    if (claimed === null) return false;
    const actor = resolveActor({ kind: "automation", id: claimed.automationId });
    const tenant = this.engine.openTenant(organizationId, actor);
    for (let turn = 0; turn < TURNS; turn += 1) if (!(await this.runOne(tenant, claimed))) return true;
    await this.release(organizationId, claimed);
    return true;
  }

  /** Claims the automation whose runs have been due longest, for 60 seconds. Returns `null` if no runs are due. */
  private async claim(organizationId: string): Promise<ClaimedRuns | null> {
    const { engine } = this;
    const claim = createClaim(engine, 1);
    const work = engine.storage.transaction(
      function* (tx) {
        if ((yield* tx.findAutomationQueue(organizationId)) === null) return null;
        const [job] = yield* tx.claimJobs(organizationId, automationJobs, "run", claim);
        if (job === undefined) return null;
        const { automationId, revision } = job;
        return { automationId, revision, lease: claim.lease };
      },
      { organizationId },
    );
    return engine.changes.track(work);
  }

  /**
   * Executes the next due runs in one transaction.
   * @returns whether more may be due.
   */
  private async runOne(tenant: Tenant, claimed: ClaimedRuns): Promise<boolean> {
    const attempt: Attempt = { runId: null, actionIndex: 0 };
    try {
      return await tenant.change(["automations.run"], function* (tx, record) {
        attempt.runId = null;
        return yield* executeDueRuns({ tenant, tx, record, now: tenant.now() }, claimed, attempt);
      });
    } catch (error) {
      if (attempt.runId === null) throw error;
      if (!isPermanentFailure(error)) this.onError(error);
      await this.fail(tenant.organizationId, attempt, error);
      return true;
    }
  }

  private async fail(organizationId: string, attempt: Attempt, error: unknown): Promise<void> {
    const { engine } = this;
    const at = { now: engine.clock(), random: Math.random };
    const work = engine.storage.transaction((tx) => recordFailure(tx, organizationId, attempt, error, at), {
      organizationId,
    });
    await engine.changes.track(work);
  }

  /** Releases the claim, so that another worker can execute the remaining runs. */
  private async release(
    organizationId: string,
    { automationId, revision, lease }: ClaimedRuns,
  ): Promise<void> {
    const { engine } = this;
    const work = engine.storage.transaction(
      function* (tx) {
        if ((yield* tx.findAutomationQueue(organizationId)) === null) return;
        const nextAttemptAt = yield* tx.nextAutomationRunAt(organizationId, automationId);
        const result = { subject: automationId, revision, nextAttemptAt };
        yield* tx.recordResults(organizationId, automationJobs, "run", lease, [result], engine.clock());
      },
      { organizationId },
    );
    await engine.changes.track(work);
  }
}

/** A failed run is retried for 24 hours. */
const RETRIES: RetrySchedule = {
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
