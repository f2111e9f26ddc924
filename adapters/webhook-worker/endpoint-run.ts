import { Semaphore } from "../../src/concurrency/semaphore.js";
import { signals } from "../../src/signals.js";
import type { EndpointToServe } from "../../src/storage/webhooks.js";
import type { AttemptResult, DeliveryJob } from "../../src/webhooks/queue.js";
import { isGone, isSlow, isSuccess } from "../../src/webhooks/schedule.js";
import { tracedAttempt } from "./client/traced-attempt.js";
import { Settlement } from "./settlement.js";
import type { Standing } from "./standing.js";
import type { WorkPlace } from "./work-place.js";

/** How many deliveries are claimed at once at most: as many as take about half a second. */
const MAX_CLAIMED = 64;
const CLAIMED_FOR_MS = 500;

/**
 * How old a claim may be when its delivery is sent, in milliseconds. An endpoint that has been disabled or deleted since
 * gets nothing after that; and an attempt ends long before its claim does.
 */
const START_WITHIN_MS = 5_000;

interface Claimed {
  readonly job: DeliveryJob;
  readonly at: number;
}

/** The work for one endpoint, as long as there is any: a few lanes, each of which makes one attempt after the other. */
export class EndpointRun {
  private claimed: Claimed[] = [];
  private readonly lanes = new Set<Promise<void>>();
  private claiming: Promise<void> | null = null;
  /** For calls of the storage: nothing can be claimed while something is being recorded. */
  private readonly turns = new Semaphore(1);
  private readonly settlement: Settlement;
  /** How often it was told that there is work. */
  private wakes = 0;
  /** True when there was no more work at the last look for it. */
  private isExhausted = false;
  private claimSize = 1;

  /** @param onEnd told when nothing is under way. */
  constructor(
    private readonly place: EndpointToServe,
    private readonly shared: WorkPlace,
    private readonly onEnd: () => void,
  ) {
    this.settlement = new Settlement(place, shared, this.turns);
  }

  /** Told that there may be work. */
  wake(): void {
    this.wakes += 1;
    this.isExhausted = false;
    this.openLanes();
  }

  /** Resolves when the attempts under way have ended and are recorded. */
  async closed(): Promise<void> {
    await Promise.all(this.lanes);
    await this.settlement.settled();
  }

  private get isTroubled(): boolean {
    return this.standing === "troubled";
  }

  /** As this worker knows it, or else as it was noted by whoever made the last attempt. */
  private get standing(): Standing {
    return (
      this.shared.standings.of(this.place.endpointId) ?? (this.place.isTroubled ? "troubled" : "unknown")
    );
  }

  /** One that may turn out to be dead takes the room of one attempt only. */
  private get lanesAllowed(): number {
    return this.standing === "good" ? this.shared.attemptsPerEndpoint : 1;
  }

  private get hasWork(): boolean {
    return !this.shared.isClosing() && (this.claimed.length > 0 || !this.isExhausted);
  }

  private openLanes(): void {
    while (this.hasWork && this.lanes.size < this.lanesAllowed) {
      const lane = this.goAlong().finally(() => {
        this.lanes.delete(lane);
        // It may have been woken since this lane found nothing.
        this.openLanes();
        if (this.lanes.size === 0) void this.end();
      });
      this.lanes.add(lane);
    }
  }

  private async end(): Promise<void> {
    await this.settlement.settled();
    if (this.lanes.size === 0) this.onEnd();
  }

  private async goAlong(): Promise<void> {
    const { clock } = this.shared.queue;
    while (this.hasWork && this.lanes.size <= this.lanesAllowed) {
      // What is being recorded may disable it. Before the slot: that is for attempts.
      if (this.isTroubled) await this.settlement.settled();
      const start = clock();
      const result = await this.inSlot(() => this.attemptNext());
      if (result !== null) this.learn(result, clock() - start);
      this.openLanes();
    }
  }

  /** First the slot, then the claim: it would grow old while it waits for one. */
  private inSlot<T>(work: () => Promise<T>): Promise<T> {
    const { attempts, troubledAttempts, unknownAttempts } = this.shared;
    const { organizationId } = this.place;
    const { standing } = this;
    if (standing === "good") return attempts.run(organizationId, work);
    const doubtful = standing === "troubled" ? troubledAttempts : unknownAttempts;
    return doubtful.run(organizationId, () => attempts.run(organizationId, work));
  }

  /** `null` when there is nothing to do. */
  private async attemptNext(): Promise<AttemptResult | null> {
    const job = await this.next();
    if (job === null) return null;
    const result = await tracedAttempt(job, this.shared.outside, this.shared.tracer);
    const { startedAt, duration, status } = result;
    signals.webhookAttempt.send({ status, body: job.body, endedAt: startedAt + duration });
    this.settlement.add({ job, result });
    return result;
  }

  private async next(): Promise<DeliveryJob | null> {
    while (this.hasWork) {
      const next = this.claimed.shift();
      if (next === undefined) {
        this.claiming ??= this.claim().finally(() => {
          this.claiming = null;
        });
        await this.claiming;
      } else if (this.shared.queue.clock() - next.at <= START_WITHIN_MS) {
        return next.job;
      }
    }
    return null;
  }

  private async claim(): Promise<void> {
    const { queue, storageAnswered, storageFailed } = this.shared;
    const { wakes, claimSize } = this;
    try {
      const { jobs, hasMore, at } = await this.inTurn(async () => {
        const start = queue.clock();
        return { ...(await queue.take(this.place, claimSize)), at: start };
      });
      this.claimed = jobs.map((job) => ({ job, at }));
      this.isExhausted = !hasMore && this.claimed.length < claimSize && wakes === this.wakes;
      storageAnswered();
    } catch (error) {
      this.isExhausted = true;
      storageFailed(error);
    }
  }

  private inTurn<T>(call: () => Promise<T>): Promise<T> {
    return this.turns.run(() => this.shared.storageCalls.run(this.place.organizationId, call));
  }

  /** @param turn how long the attempt took with the wait for its slot, in milliseconds. */
  private learn(result: AttemptResult, turn: number): void {
    const isGood = isSuccess(result) && !isSlow(result);
    this.shared.standings.note(this.place.endpointId, isGood ? "good" : "troubled");
    if (isGone(result)) this.claimed = [];
    const { lanesAllowed } = this;
    const inTime = lanesAllowed * Math.floor(CLAIMED_FOR_MS / Math.max(1, turn));
    this.claimSize = isGood ? Math.min(MAX_CLAIMED, Math.max(lanesAllowed, inTime)) : 1;
  }
}
