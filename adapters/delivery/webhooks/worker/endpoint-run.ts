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
const CLAIMED_FOR_MS = 500;

/**
 * Maximum age of a claim when its delivery is sent, in milliseconds. After that, an endpoint that has been disabled or deleted
 * receives nothing more, and an attempt ends long before its claim does.
 */
const START_WITHIN_MS = 5_000;

/**
 * Maximum number of endpoints whose health is cached. Evicting one costs little, because its next attempt shows its health again.
 */
const MAX_REMEMBERED = 10_000;

const STORAGE_CALLS = 4;

/** Milliseconds that results wait to be recorded together. */
const GATHER_MS = 20;

/** Share of the slots left by other organizations that one organization may hold. */
const SHARE = 3 / 4;

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

  of(endpointId: string): EndpointHealth | null {
    return this.health.get(endpointId) ?? null;
  }

  note(endpointId: string, standing: EndpointHealth): void {
    putAndEvict(this.health, endpointId, standing, MAX_REMEMBERED);
  }
}

/** Limits how many attempts and storage calls a worker makes concurrently, across all of its endpoints. */
export class Slots {
  readonly standings = new EndpointHealthCache();
  private readonly attempts: FairSemaphore;
  /** Slots for attempts at troubled endpoints. */
  private readonly troubledSlots: FairSemaphore;
  /** Slots for attempts at endpoints of unknown health, because any of them may be dead. */
  private readonly unknownSlots: FairSemaphore;
  /** Slots for storage calls. More concurrent calls would only wait for each other. */
  private readonly storageCalls = new FairSemaphore(STORAGE_CALLS, SHARE);

  constructor(
    attempts: number,
    readonly attemptsPerEndpoint: number,
  ) {
    this.attempts = new FairSemaphore(attempts, SHARE);
    this.troubledSlots = new FairSemaphore(Math.ceil(attempts / 2), SHARE);
    this.unknownSlots = new FairSemaphore(Math.ceil(attempts / 4), SHARE);
  }

  forAttempt<T>(organizationId: string, standing: EndpointHealth, work: () => Promise<T>): Promise<T> {
    if (standing === "good") return this.attempts.run(organizationId, work);
    const doubtful = standing === "troubled" ? this.troubledSlots : this.unknownSlots;
    return doubtful.run(organizationId, () => this.attempts.run(organizationId, work));
  }

  forStorage<T>(organizationId: string, call: () => Promise<T>): Promise<T> {
    return this.storageCalls.run(organizationId, call);
  }
}

interface ClaimedBatch {
  readonly job: DeliveryJob;
  readonly at: number;
}

/** Attempts an endpoint's due deliveries, several at a time, until none are left. */
export class EndpointRun {
  private claimed: ClaimedBatch[] = [];
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
    private readonly place: EndpointToServe,
    private readonly run: TargetRun,
  ) {
    this.lane = run.lane(
      () => this.attemptNext(),
      () => this.concurrency,
    );
    this.recorder = run.recorder(
      (attempted) => this.runInTurn(() => queue.recordResults(place, attempted)),
      GATHER_MS,
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
  private get standing(): EndpointHealth {
    const standing = this.slots.standings.of(this.place.endpointId);
    return standing ?? (this.place.isTroubled ? "troubled" : "unknown");
  }

  /** Number of concurrent attempts allowed. An endpoint that may be dead gets only one. */
  private get concurrency(): number {
    return this.standing === "good" ? this.slots.attemptsPerEndpoint : 1;
  }

  private get hasWork(): boolean {
    return !this.run.isClosing && (this.claimed.length > 0 || !this.isExhausted);
  }

  /** Claims and attempts the next delivery. Returns whether more may be due. */
  private async attemptNext(): Promise<boolean> {
    const { clock } = this.queue;
    // A result that is being recorded may disable the endpoint. Wait before taking a slot, because slots are for attempts.
    if (this.standing === "troubled") await this.recorder.whenIdle();
    const start = clock();
    // Take the slot before claiming: a claim would age while it waits for a slot.
    const result = await this.slots.forAttempt(this.place.organizationId, this.standing, async () => {
      const job = await this.takeNextJob();
      return job && this.attempt(job);
    });
    if (result !== null) this.recordHealth(result, clock() - start);
    return this.hasWork;
  }

  /** Attempts a delivery. Returns `null` if the attempt was canceled. It is then retried when its claim has expired. */
  private async attempt(job: DeliveryJob): Promise<AttemptResult | null> {
    const result = await attemptDelivery(job, this.settings);
    if (result.status === null && this.settings.ending?.hasCome) return null;
    const { startedAt, duration, status } = result;
    signals.webhookAttempt.send({ status, body: job.body, endedAt: startedAt + duration });
    this.recorder.add({ job, result });
    return result;
  }

  private async takeNextJob(): Promise<DeliveryJob | null> {
    while (this.hasWork) {
      const next = this.claimed.shift();
      if (next === undefined) {
        this.claiming ??= this.claim().finally(() => {
          this.claiming = null;
        });
        await this.claiming;
      } else if (this.queue.clock() - next.at <= START_WITHIN_MS) {
        return next.job;
      }
    }
    return null;
  }

  private async claim(): Promise<void> {
    const { queue, run, wakeCount: wakes, claimSize } = this;
    try {
      const { jobs, hasMore, at } = await this.runInTurn(async () => {
        const start = queue.clock();
        return { ...(await queue.claimNext(this.place, claimSize)), at: start };
      });
      this.claimed = jobs.map((job) => ({ job, at }));
      this.isExhausted = !hasMore && this.claimed.length < claimSize && wakes === this.wakeCount;
      run.succeeded();
    } catch (error) {
      this.isExhausted = true;
      run.failed(error);
    }
  }

  private runInTurn<T>(call: () => Promise<T>): Promise<T> {
    return this.semaphore.run(() => this.slots.forStorage(this.place.organizationId, call));
  }

  /**
   * Records the endpoint's health, and adjusts how many deliveries are claimed together.
   * @param attemptMs how long the attempt took, including the wait for its slot, in milliseconds.
   */
  private recordHealth(result: AttemptResult, attemptMs: number): void {
    const isGood = isSuccess(result) && !isSlow(result);
    this.slots.standings.note(this.place.endpointId, isGood ? "good" : "troubled");
    if (isGone(result)) this.claimed = [];
    const { concurrency } = this;
    const inTime = concurrency * Math.floor(CLAIMED_FOR_MS / Math.max(1, attemptMs));
    this.claimSize = isGood ? Math.min(MAX_CLAIMED, Math.max(concurrency, inTime)) : 1;
  }
}
