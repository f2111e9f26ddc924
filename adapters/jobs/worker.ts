import { PollLoop } from "./poll-loop.js";
import type { SetTimer } from "./timers.js";

/** The places that a worker serves, such as endpoints or organizations. */
export interface Places<Place> {
  /** Returns places that have work, at most `limit`. Those that have waited longest come first. */
  find(limit: number): Promise<readonly Place[]>;
  keyOf(place: Place): string;
  /** @param onIdle called when nothing is under way there: the next work gets another run. */
  open(place: Place, worker: WorkerState, onIdle: () => void): Run;
  /** Calls the listener when this process made work. @returns a function that ends it. */
  onWork(listener: () => void): () => void;
  onError(error: unknown): void;
}

/** The work at one place. */
export interface Run {
  /** Does what there is to do, once more when that is under way already. */
  wake(): void;
  /** Resolves when nothing is under way. */
  settled(): Promise<void>;
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
 * The number of places that a worker looks for at once beside those that it serves. It doubles while there are more, or places
 * that get nothing of the news would be all that it sees.
 */
const LOOKED_FOR = 100;
const MAX_LOOKED_FOR = 6_400;

/** Finds places that have work, and keeps one run for each until it is idle. A storage that fails is asked less and less often. */
export class Worker<Place> implements WorkerState {
  private readonly runs = new Map<string, Run>();
  private readonly loop: PollLoop;
  private stopListening = () => {};
  private closing = false;
  private lookedFor = LOOKED_FOR;
  private hasSucceeded = false;
  private failures = 0;
  /** The failures that the loop has paused for. */
  private failuresSeen = 0;

  constructor(
    private readonly places: Places<Place>,
    { minPauseMs, ...options }: WorkerOptions,
  ) {
    this.loop = new PollLoop(() => this.look(), {
      ...options,
      minPauseMs: () => (minPauseMs * this.lookedFor) / LOOKED_FOR,
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
    await this.settled();
    return this.failures === failures;
  }

  /** Begins nothing more. Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.closing = true;
    this.stopListening();
    await this.loop.stop();
    await this.settled();
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

  private async look(): Promise<boolean> {
    await this.wakeRuns();
    const isWell = this.hasSucceeded || this.failures === this.failuresSeen;
    if (!isWell) this.lookedFor = LOOKED_FOR;
    this.hasSucceeded = false;
    this.failuresSeen = this.failures;
    return isWell;
  }

  private async wakeRuns(): Promise<void> {
    const limit = this.runs.size + this.lookedFor;
    try {
      const found = await this.places.find(limit);
      for (const place of found) this.runOf(place).wake();
      this.adjustLookedFor(found.length, limit);
    } catch (error) {
      this.failed(error);
    }
  }

  private adjustLookedFor(found: number, limit: number): void {
    if (found === limit && this.lookedFor < MAX_LOOKED_FOR) {
      this.lookedFor *= 2;
      this.loop.wake();
    } else if (found < limit / 4) {
      this.lookedFor = Math.max(LOOKED_FOR, this.lookedFor / 2);
    }
  }

  private runOf(place: Place): Run {
    const key = this.places.keyOf(place);
    const present = this.runs.get(key);
    if (present !== undefined) return present;
    const run = this.places.open(place, this, () => {
      if (this.runs.get(key) === run) this.runs.delete(key);
    });
    this.runs.set(key, run);
    return run;
  }

  private async settled(): Promise<void> {
    await Promise.all([...this.runs.values()].map((run) => run.settled()));
  }
}
