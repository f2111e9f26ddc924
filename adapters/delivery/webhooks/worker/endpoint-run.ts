import { putAndEvict } from "../../../../src/base/bounded-map.js";
import { FairSemaphore, Semaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import { signals } from "../../../../src/base/signals.js";
import type { EndpointToServe } from "../../../../src/storage/webhooks.js";
import { isGone, isSlow, isSuccess } from "../../../../src/webhooks/delivery-schedule.js";
import type {
  AttemptResult,
  DeliveryJob,
  FinishedAttempt,
  WebhookQueue,
} from "../../../../src/webhooks/queue.js";
import type { Lane, ResultRecorder, TargetRun } from "../../jobs/job-runner.js";
import { type AttemptSettings, attemptDelivery } from "./attempt.js";

/** Maximum number of deliveries claimed together, and how long they should take, in milliseconds. */
const MAX_CLAIMED = 64;
const TARGET_CLAIM_MS = 500;

/**
 * Maximum age of a claim when its delivery is sent, in milliseconds. After that, an endpoint that has been disabled or deleted
 * receives nothing more, and an attempt ends long before its claim does.
 */
const MAX_CLAIM_AGE_MS = 5_000;

/**
 * Maximum number of endpoints whose health is cached. Evicting one costs little, because its next attempt shows its health again.
 */
const MAX_CACHED_ENDPOINTS = 10_000;

const MAX_CONCURRENT_STORAGE_CALLS = 4;

/** Milliseconds that results wait to be recorded together. */
const DEBOUNCE_MS = 20;

/** Share of the slots left by other organizations that one organization may hold. */
const MAX_ORGANIZATION_SHARE = 3 / 4;

/**
 * An endpoint's health: `good` if its last attempt succeeded quickly, `troubled` if it failed or was slow, `unknown` if there was
 * none.
 */
type EndpointHealth = "good" | "troubled" | "unknown";

/** The parts of the webhook queue that a worker uses. */
export type DeliveryQueue = Pick<
  WebhookQueue,
  "clock" | "onError" | "endpointsWithDueWork" | "claimNext" | "recordResults" | "onWork"
>;

/** Caches the health of endpoints, based on this worker's most recent attempts. */
export class EndpointHealthCache {
  private readonly health = new Map<string, EndpointHealth>();

  get(endpointId: string): EndpointHealth | null {
    return this.health.get(endpointId) ?? null;
  }

  set(endpointId: string, health: EndpointHealth): void {
    putAndEvict(this.health, endpointId, health, MAX_CACHED_ENDPOINTS);
  }
}

/** Limits how many attempts and storage calls a worker makes concurrently, across all of its endpoints. */
export class Slots {
  readonly healthCache = new EndpointHealthCache();
  private readonly attempts: FairSemaphore;
  /** Slots for attempts at troubled endpoints. */
  private readonly troubledSlots: FairSemaphore;
  /** Slots for attempts at endpoints of unknown health, because any of them may be dead. */
  private readonly unknownSlots: FairSemaphore;
  /** Slots for storage calls. More concurrent calls would only wait for each other. */
  private readonly storageCalls = new FairSemaphore(MAX_CONCURRENT_STORAGE_CALLS, MAX_ORGANIZATION_SHARE);

  constructor(
    attempts: number,
    readonly attemptsPerEndpoint: number,
  ) {
    this.attempts = new FairSemaphore(attempts, MAX_ORGANIZATION_SHARE);
    this.troubledSlots = new FairSemaphore(Math.ceil(attempts / 2), MAX_ORGANIZATION_SHARE);
    this.unknownSlots = new FairSemaphore(Math.ceil(attempts / 4), MAX_ORGANIZATION_SHARE);
  }

  runAttempt<T>(organizationId: string, health: EndpointHealth, work: () => Promise<T>): Promise<T> {
    if (health === "good") return this.attempts.run(organizationId, work);
    const riskySlots = health === "troubled" ? this.troubledSlots : this.unknownSlots;
    return riskySlots.run(organizationId, () => this.attempts.run(organizationId, work));
  }

  runStorageCall<T>(organizationId: string, call: () => Promise<T>): Promise<T> {
    return this.storageCalls.run(organizationId, call);
  }
}

interface ClaimedJob {
  readonly job: DeliveryJob;
  readonly at: number;
}

/** Attempts an endpoint's due deliveries, several at a time, until none are left. */
export class EndpointRun {
  private claimedJobs: ClaimedJob[] = [];
  private claiming: Promise<void> | null = null;
  /** Runs this endpoint's storage calls one at a time, because nothing may be claimed while results are being recorded. */
  private readonly semaphore = new Semaphore(1);
  private readonly lane: Lane;
  private readonly recorder: ResultRecorder<FinishedAttempt>;
  private wakeCount = 0;
  /** Whether the last claim found no further work. */
  private isExhausted = false;
  private claimSize = 1;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly settings: AttemptSettings,
    private readonly slots: Slots,
    private readonly endpoint: EndpointToServe,
    private readonly run: TargetRun,
  ) {
    this.lane = run.createLane(
      () => this.attemptNext(),
      () => this.concurrency,
    );
    this.recorder = run.createRecorder(
      (attempts) => this.runSerially(() => queue.recordResults(endpoint, attempts)),
      DEBOUNCE_MS,
    );
  }

  wake(): void {
    this.wakeCount += 1;
    this.isExhausted = false;
    this.lane.wake();
  }

  /**
   * The endpoint's health as shown by this worker's attempts. If there are none, it comes from the stored result of the endpoint's
   * last attempt.
   */
  private get health(): EndpointHealth {
    const cachedHealth = this.slots.healthCache.get(this.endpoint.endpointId);
    return cachedHealth ?? (this.endpoint.isTroubled ? "troubled" : "unknown");
  }

  /** Number of concurrent attempts allowed. An endpoint that may be dead gets only one. */
  private get concurrency(): number {
    return this.health === "good" ? this.slots.attemptsPerEndpoint : 1;
  }

  private get hasWork(): boolean {
    return !this.run.isClosing && (this.claimedJobs.length > 0 || !this.isExhausted);
  }

  /** Claims and attempts the next delivery. Returns whether more may be due. */
  private async attemptNext(): Promise<boolean> {
    const { clock } = this.queue;
    // A result that is being recorded may disable the endpoint. Wait before taking a slot, because slots are for attempts.
    if (this.health === "troubled") await this.recorder.whenIdle();
    const start = clock();
    // Take the slot before claiming: a claim would age while it waits for a slot.
    const result = await this.slots.runAttempt(this.endpoint.organizationId, this.health, async () => {
      const job = await this.takeNextJob();
      return job && this.attempt(job);
    });
    if (result !== null) this.recordHealth(result, clock() - start);
    return this.hasWork;
  }

  /** Attempts a delivery. Returns `null` if the attempt was canceled. It is then retried when its claim has expired. */
  private async attempt(job: DeliveryJob): Promise<AttemptResult | null> {
    const result = await attemptDelivery(job, this.settings);
    if (result.status === null && this.settings.shutdown?.hasStarted) return null;
    const { startedAt, duration, status } = result;
    signals.webhookAttempt.send({ status, body: job.body, endedAt: startedAt + duration });
    this.recorder.add({ job, result });
    return result;
  }

  private async takeNextJob(): Promise<DeliveryJob | null> {
    while (this.hasWork) {
      const next = this.claimedJobs.shift();
      if (next === undefined) {
        this.claiming ??= this.claim().finally(() => {
          this.claiming = null;
        });
        await this.claiming;
      } else if (this.queue.clock() - next.at <= MAX_CLAIM_AGE_MS) {
        return next.job;
      }
    }
    return null;
  }

  private async claim(): Promise<void> {
    const { queue, run, wakeCount: wakes, claimSize } = this;
    try {
      const { jobs, hasMore, at } = await this.runSerially(async () => {
        const start = queue.clock();
        return { ...(await queue.claimNext(this.endpoint, claimSize)), at: start };
      });
      this.claimedJobs = jobs.map((job) => ({ job, at }));
      this.isExhausted = !hasMore && this.claimedJobs.length < claimSize && wakes === this.wakeCount;
      run.reportSuccess();
    } catch (error) {
      this.isExhausted = true;
      run.reportFailure(error);
    }
  }

  private runSerially<T>(call: () => Promise<T>): Promise<T> {
    return this.semaphore.run(() => this.slots.runStorageCall(this.endpoint.organizationId, call));
  }

  /**
   * Records the endpoint's health, and adjusts how many deliveries are claimed together.
   * @param attemptMs how long the attempt took, including the wait for its slot, in milliseconds.
   */
  private recordHealth(result: AttemptResult, attemptMs: number): void {
    const isGood = isSuccess(result) && !isSlow(result);
    this.slots.healthCache.set(this.endpoint.endpointId, isGood ? "good" : "troubled");
    if (isGone(result)) this.claimedJobs = [];
    const { concurrency } = this;
    const countInTime = concurrency * Math.floor(TARGET_CLAIM_MS / Math.max(1, attemptMs));
    this.claimSize = isGood ? Math.min(MAX_CLAIMED, Math.max(concurrency, countInTime)) : 1;
  }
}
