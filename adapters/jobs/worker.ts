import { PollLoop } from "./poll-loop.js";
import type { SetTimer } from "./timers.js";

/** The places that a worker serves, such as endpoints or organizations. */
export interface WorkTargets<Place> {
  /** Returns places that have work, at most `limit`. Those that have waited longest come first. */
  findWithWork(limit: number): Promise<readonly Place[]>;
  keyOf(place: Place): string;
  /** @param onIdle called when nothing is under way there: the next work gets another run. */
  open(place: Place, worker: WorkerState, onIdle: () => void): TargetRun;
  /** Calls the listener when this process made work. @returns a function that ends it. */
  onWork(listener: () => void): () => void;
  onError(error: unknown): void;
}

/** The work at one place. */
export interface TargetRun {
  /** Does what there is to do, once more when that is under way already. */
  wake(): void;
  /** Resolves when nothing is under way. */
  whenIdle(): Promise<void>;
}

/** The worker as its runs see it. */
export interface WorkerState {
  /** True when nothing more is to begin. */
  isClosing(): boolean;
  /** Reports that storage took a write. One that answers reads alone counts as failing. */
  succeeded(): void;
  failed(error: unknown): void;
}

export interface WorkerOptions {
  /** The time between two looks for jobs that other processes made or that are due again, in milliseconds. */
  readonly pollMs: number;
  /** The least time between two looks for 100 places, in milliseconds. */
  readonly minPauseMs: number;
  readonly after?: SetTimer;
}

/**
 * The number of targets that a poll looks for beside those being served. It doubles while there are more, because otherwise the
 * poll might only find targets without due work.
 */
const POLL_LIMIT = 100;
const MAX_POLL_LIMIT = 6_400;

/** Finds targets that have work, and keeps one run for each until it is idle. Polls less and less often while the storage fails. */
export class Worker<Place> implements WorkerState {
  private readonly runs = new Map<string, TargetRun>();
  private readonly loop: PollLoop;
  private stopListening = () => {};
  private closing = false;
  private lookedFor = POLL_LIMIT;
  private hasSucceeded = false;
  private failures = 0;
  /** The failures that the loop has paused for. */
  private failuresSeen = 0;

  constructor(
    private readonly places: WorkTargets<Place>,
    { minPauseMs, ...options }: WorkerOptions,
  ) {
    this.loop = new PollLoop(() => this.poll(), {
      ...options,
      minPauseMs: () => (minPauseMs * this.lookedFor) / POLL_LIMIT,
    });
  }

  start(): void {
    this.stopListening = this.places.onWork(() => this.loop.wake());
    this.loop.start();
  }

  /** Does all there is to do now. @returns false when something failed. */
  async runOnce(): Promise<boolean> {
    const { failures } = this;
    await this.wakeRuns();
    await this.whenIdle();
    return this.failures === failures;
  }

  /** Stops the worker. Resolves when running work has ended. */
  async close(): Promise<void> {
    this.closing = true;
    this.stopListening();
    await this.loop.stop();
    await this.whenIdle();
  }

  isClosing(): boolean {
    return this.closing;
  }

  succeeded(): void {
    this.hasSucceeded = true;
  }

  failed(error: unknown): void {
    this.failures += 1;
    this.places.onError(error);
  }

  private async poll(): Promise<boolean> {
    await this.wakeRuns();
    const isWell = this.hasSucceeded || this.failures === this.failuresSeen;
    if (!isWell) this.lookedFor = POLL_LIMIT;
    this.hasSucceeded = false;
    this.failuresSeen = this.failures;
    return isWell;
  }

  private async wakeRuns(): Promise<void> {
    const limit = this.runs.size + this.lookedFor;
    try {
      const found = await this.places.findWithWork(limit);
      for (const place of found) this.getOrCreateRun(place).wake();
      this.adjustPollLimit(found.length, limit);
    } catch (error) {
      this.failed(error);
    }
  }

  private adjustPollLimit(found: number, limit: number): void {
    if (found === limit && this.lookedFor < MAX_POLL_LIMIT) {
      this.lookedFor *= 2;
      this.loop.wake();
    } else if (found < limit / 4) {
      this.lookedFor = Math.max(POLL_LIMIT, this.lookedFor / 2);
    }
  }

  private getOrCreateRun(place: Place): TargetRun {
    const key = this.places.keyOf(place);
    const present = this.runs.get(key);
    if (present !== undefined) return present;
    const run = this.places.open(place, this, () => {
      if (this.runs.get(key) === run) this.runs.delete(key);
    });
    this.runs.set(key, run);
    return run;
  }

  private async whenIdle(): Promise<void> {
    await Promise.all([...this.runs.values()].map((run) => run.whenIdle()));
  }
}
