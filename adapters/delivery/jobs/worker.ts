import { PollLoop } from "./poll-loop.js";
import type { SetTimer } from "./timers.js";

/** The source of a worker's targets, such as webhook endpoints or organizations. */
export interface WorkTargets<Place> {
  /** Returns at most `limit` targets that have work, starting with the target that has waited longest. */
  findWithWork(limit: number): Promise<readonly Place[]>;
  keyOf(place: Place): string;
  /**
   * Creates the run for a target.
   * @param onIdle a function that the run calls when it has nothing left to do. If more work arrives later, a new run is created.
   */
  open(place: Place, worker: WorkerState, onIdle: () => void): TargetRun;
  /**
   * Calls the listener when this process creates work.
   * @returns a function that unsubscribes.
   */
  onWork(listener: () => void): () => void;
  onError(error: unknown): void;
}

/** Runs the work for one target, such as a webhook endpoint. */
export interface TargetRun {
  /** Starts the target's work. If the work is already running, makes sure that it checks for more work before it ends. */
  wake(): void;
  /** Resolves when no work is running. */
  whenIdle(): Promise<void>;
}

/** The parts of a worker that its targets' runs can use. */
export interface WorkerState {
  /** Returns whether the worker is closing. If it is, runs must not start new work. */
  isClosing(): boolean;
  /**
   * Reports that the storage has accepted a write. Successful reads must not be reported, because storage that can only be read is
   * considered failing.
   */
  succeeded(): void;
  failed(error: unknown): void;
}

export interface WorkerOptions {
  /** Interval between polls, in milliseconds. Polling finds jobs that are due for a retry or were created by other processes. */
  readonly pollMs: number;
  /**
   * Minimum pause between polls, in milliseconds, if a poll looks for 100 targets. If it looks for more targets, the pause is
   * proportionally longer.
   */
  readonly minPauseMs: number;
  readonly after?: SetTimer;
}

/**
 * Number of targets that a poll looks for in addition to the ones being served. It doubles while more targets are found, because a
 * poll might otherwise find only targets without due work.
 */
const POLL_LIMIT = 100;
const MAX_POLL_LIMIT = 6_400;

/**
 * Finds targets that have work, and creates one run for each of them. A run ends when its target has no work left. Polls less often
 * while the storage fails.
 */
export class Worker<Place> implements WorkerState {
  private readonly runs = new Map<string, TargetRun>();
  private readonly loop: PollLoop;
  private stopListening = () => {};
  private closing = false;
  private lookedFor = POLL_LIMIT;
  private hasSucceeded = false;
  private failures = 0;
  /** Number of failures that the loop has already paused for. */
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

  /**
   * Runs all work that is due now.
   * @returns `false` if something failed.
   */
  async runOnce(): Promise<boolean> {
    const { failures } = this;
    await this.wakeRuns();
    await this.whenIdle();
    return this.failures === failures;
  }

  /** Stops the worker. Resolves when the work in progress has finished. */
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
