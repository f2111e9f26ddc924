import { FairSemaphore } from "../../src/concurrency/fair-semaphore.js";
import type { EndpointToServe } from "../../src/storage/webhooks.js";
import type { Tracer } from "../../src/tracing.js";
import type { Send } from "./client/send.js";
import { EndpointRun } from "./endpoint-run.js";
import { Rest } from "./rest.js";
import { Standings } from "./standing.js";
import type { After } from "./timers.js";
import type { Queue, WorkPlace } from "./work-place.js";

/** What a worker is made of. */
export interface WorkerSettings {
  readonly queue: Queue;
  readonly send: Send;
  readonly after: After;
  readonly tracer: Tracer | null;
  readonly attempts: number;
  readonly attemptsPerEndpoint: number;
  readonly pollMs: number;
  readonly timeoutMs: number;
}

/**
 * How many more endpoints than those that it serves a worker looks for at once: twice as many each time while there are
 * more, or those that get nothing of the events that came would be all that it sees.
 */
const LOOKED_FOR = 100;
const MAX_LOOKED_FOR = 6_400;

const STORAGE_CALLS = 4;

/** What share of the slots that others leave an organization may hold. */
const SHARE = 3 / 4;

/** The least time after a look for so many, in milliseconds: under a stream of changes each would bring one. */
const MIN_PAUSE_MS = 20;

/** The longest time between two looks while the storage fails. */
const MAX_PAUSE_MS = 30_000;

/** Looks for endpoints that there is work for, and serves them. */
export class Worker {
  private readonly runs = new Map<string, EndpointRun>();
  private readonly shared: WorkPlace;
  private readonly rest: Rest;
  private readonly stopListening: () => void;
  private readonly looking: Promise<void>;
  private isClosing = false;
  /** Whether there may be work that the last look did not see. */
  private isStirred = false;
  /** How many more endpoints than those that it serves it looks for. */
  private lookedFor = LOOKED_FOR;
  /** Whether it waits, with nothing to do. */
  private isWaiting = false;
  /** How the storage has answered and failed since the last pause began. */
  private hasAnswered = false;
  private hasFailed = false;
  /** How often in a row the storage had only failed when a pause began. */
  private failures = 0;

  constructor(private readonly settings: WorkerSettings) {
    const { queue, send, after, tracer, attempts, attemptsPerEndpoint, timeoutMs } = settings;
    this.rest = new Rest(after);
    this.shared = {
      queue,
      tracer,
      outside: { clock: queue.clock, after, send, timeout: timeoutMs },
      attemptsPerEndpoint,
      attempts: new FairSemaphore(attempts, SHARE),
      troubledAttempts: new FairSemaphore(Math.ceil(attempts / 2), SHARE),
      unknownAttempts: new FairSemaphore(Math.ceil(attempts / 4), SHARE),
      storageCalls: new FairSemaphore(STORAGE_CALLS, SHARE),
      standings: new Standings(),
      isClosing: () => this.isClosing,
      storageAnswered: () => {
        this.hasAnswered = true;
      },
      storageFailed: (error) => {
        this.hasFailed = true;
        queue.onError(error);
      },
    };
    this.stopListening = queue.onGrowth(() => this.stir());
    this.looking = this.lookAgainAndAgain();
  }

  /** Begins nothing more. Resolves when the attempts under way have ended and are recorded. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.stopListening();
    this.rest.cutShort();
    await this.looking;
    await Promise.all([...this.runs.values()].map((run) => run.closed()));
  }

  private stir(): void {
    this.isStirred = true;
    if (this.isWaiting) this.rest.cutShort();
  }

  private async lookAgainAndAgain(): Promise<void> {
    while (!this.isClosing) {
      this.isStirred = false;
      await this.look();
      await this.pause();
    }
  }

  private async look(): Promise<void> {
    const { queue, storageCalls, storageFailed } = this.shared;
    const limit = this.runs.size + this.lookedFor;
    try {
      const places = await storageCalls.run("", () => queue.endpointsToServe(limit));
      for (const place of places) this.runOf(place).wake();
      this.lookFor(places.length, limit);
    } catch (error) {
      storageFailed(error);
    }
  }

  /** Looks again soon when there may be more, and for fewer when there were far fewer. */
  private lookFor(found: number, limit: number): void {
    if (found === limit && this.lookedFor < MAX_LOOKED_FOR) {
      this.lookedFor *= 2;
      this.isStirred = true;
    } else if (found < limit / 4) {
      this.lookedFor = Math.max(LOOKED_FOR, this.lookedFor / 2);
    }
  }

  /** Nothing that happens meanwhile ends the first part; a storage that fails is left alone for longer. */
  private async pause(): Promise<void> {
    const failures = this.hasFailed && !this.hasAnswered ? this.failures + 1 : 0;
    this.failures = failures;
    this.hasAnswered = false;
    this.hasFailed = false;
    if (failures > 0) this.lookedFor = LOOKED_FOR;
    const minPause = (MIN_PAUSE_MS * this.lookedFor) / LOOKED_FOR;
    const ms = failures === 0 ? minPause : Math.min(MAX_PAUSE_MS, 1_000 * 2 ** failures);
    if (!this.isClosing) await this.rest.rest(ms);
    if (this.isClosing || this.isStirred || failures > 0) return;
    this.isWaiting = true;
    await this.rest.rest(this.settings.pollMs);
    this.isWaiting = false;
  }

  private runOf(place: EndpointToServe): EndpointRun {
    const key = JSON.stringify([place.organizationId, place.endpointId]);
    const present = this.runs.get(key);
    if (present !== undefined) return present;
    const run = new EndpointRun(place, this.shared, () => {
      if (this.runs.get(key) === run) this.runs.delete(key);
    });
    this.runs.set(key, run);
    return run;
  }
}
