import { Semaphore } from "../../../src/base/concurrency/fair-semaphore.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import { CancellableDelay, PollLoop, type SetTimer, systemTimer } from "./timers.js";

/*
 * Work that is done later: webhooks, emails, wallet updates, messages, automations, segments, and tags.
 *
 * A job runner polls the storage for targets that have work, such as organizations or webhook endpoints. A commit in this process
 * wakes it, so that new work doesn't wait for the poll. Each target with work gets a run, which ends when the target has no work
 * left. A run consists of lanes, and no lane waits for another. A lane repeats its next piece of work, such as claiming some jobs
 * and starting them, until nothing is due. The storage gives each job to one worker, which holds it for a minute
 * (`src/kernel/engine.ts`). A recorder writes results back. If it can't, the claim expires, and the job is due again. What fails is
 * reported, and the lane waits for the next poll. Polls become rarer while everything fails.
 */

/** The source of a runner's targets, such as webhook endpoints or organizations. */
export interface JobSource<Target> {
  /** Returns at most `limit` targets that have work, starting with the target that has waited longest. */
  findWithWork(limit: number): Promise<readonly Target[]>;
  getKey(target: Target): string;
  /**
   * Creates the lanes for a target's run.
   * @returns a function that wakes the lanes. The runner calls it whenever a poll finds that the target has work.
   */
  open(target: Target, run: TargetRun): () => void;
  /**
   * Calls the listener when this process creates work.
   * @returns a function that unsubscribes.
   */
  onWork(listener: () => void): () => void;
  readonly onError: ErrorListener;
}

export interface JobRunnerOptions {
  /** Interval between polls, in milliseconds. Polling picks up jobs that are due for a retry or were created by other processes. */
  readonly pollMs: number;
  /**
   * Minimum pause between polls, in milliseconds, when a poll looks for 100 targets. The pause is proportionally longer for more
   * targets. Default: 50.
   */
  readonly minPauseMs?: number;
  readonly after?: SetTimer;
}

/**
 * Number of targets that a poll looks for in addition to the ones being served. It doubles while more targets are found, because a
 * poll might otherwise find only targets without due work.
 */
const POLL_LIMIT = 100;
const MAX_POLL_LIMIT = 6_400;

/** Finds targets that have work and does each target's work in a single run. */
export class JobRunner<Target> {
  private readonly runs = new Map<string, { readonly run: TargetRun; readonly wake: () => void }>();
  private readonly loop: PollLoop;
  private readonly state: RunnerState;
  private stopListening = () => {};
  private pollLimit = POLL_LIMIT;
  /** Number of failures that the loop has already paused for. */
  private handledFailures = 0;

  constructor(
    private readonly source: JobSource<Target>,
    { minPauseMs = 50, ...options }: JobRunnerOptions,
  ) {
    this.state = new RunnerState(source.onError, options.after ?? systemTimer);
    this.loop = new PollLoop(() => this.poll(), {
      ...options,
      minPauseMs: () => (minPauseMs * this.pollLimit) / POLL_LIMIT,
    });
  }

  start(): void {
    this.stopListening = this.source.onWork(() => this.loop.wake());
    this.loop.start();
  }

  /**
   * Runs all work that is due now.
   * @returns `false` if something failed.
   */
  async runOnce(): Promise<boolean> {
    const { failures } = this.state;
    await this.wakeRuns();
    await this.whenIdle();
    return this.state.failures === failures;
  }

  /** Stops starting new work. Resolves when the work in progress has finished and its results are recorded. */
  async close(): Promise<void> {
    this.state.isClosing = true;
    this.stopListening();
    await this.loop.stop();
    await this.whenIdle();
  }

  private async poll(): Promise<boolean> {
    const { state } = this;
    await this.wakeRuns();
    const isHealthy = state.hasSucceeded || state.failures === this.handledFailures;
    if (!isHealthy) this.pollLimit = POLL_LIMIT;
    state.hasSucceeded = false;
    this.handledFailures = state.failures;
    return isHealthy;
  }

  private async wakeRuns(): Promise<void> {
    const limit = this.runs.size + this.pollLimit;
    try {
      const targets = await this.source.findWithWork(limit);
      for (const target of targets) this.wakeRun(target);
      this.adjustPollLimit(targets.length, limit);
    } catch (error) {
      this.state.reportFailure(error);
    }
  }

  private adjustPollLimit(foundCount: number, limit: number): void {
    if (foundCount === limit && this.pollLimit < MAX_POLL_LIMIT) {
      this.pollLimit *= 2;
      this.loop.wake();
    } else if (foundCount < limit / 4) {
      this.pollLimit = Math.max(POLL_LIMIT, this.pollLimit / 2);
    }
  }

  private wakeRun(target: Target): void {
    const key = this.source.getKey(target);
    let entry = this.runs.get(key);
    if (entry === undefined) {
      const run = new TargetRun(this.state, () => this.runs.delete(key));
      entry = { run, wake: this.source.open(target, run) };
      this.runs.set(key, entry);
    }
    entry.wake();
  }

  private async whenIdle(): Promise<void> {
    await Promise.all([...this.runs.values()].map(({ run }) => run.whenIdle()));
  }
}

/** The state that a runner shares with its runs. */
class RunnerState {
  isClosing = false;
  hasSucceeded = false;
  failures = 0;

  constructor(
    private readonly onError: ErrorListener,
    readonly after: SetTimer,
  ) {}

  reportFailure(error: unknown): void {
    this.failures += 1;
    this.onError(error);
  }
}

/** The work of one target, from the poll that finds it until nothing is left to do. */
export class TargetRun {
  private readonly tasks = new Set<Promise<void>>();

  constructor(
    private readonly runner: RunnerState,
    private readonly onIdle: () => void,
  ) {}

  /** Whether the runner is closing. While it is, no new work may start. */
  get isClosing(): boolean {
    return this.runner.isClosing;
  }

  /**
   * Creates a lane, which starts when it is woken.
   * @param next a function that does the lane's next piece of work. It resolves to `false` if nothing else is due.
   * @param concurrency a function that returns how many pieces may currently run concurrently. Default: 1.
   */
  createLane(next: () => Promise<boolean>, concurrency: () => number = () => 1): Lane {
    return new Lane(this, next, concurrency);
  }

  /**
   * Creates a recorder for the results of this target's jobs.
   * @param record the function that records the results. It resolves to `false` if another transaction holds the lock.
   * @param debounceMs how long to wait for more results before recording, in milliseconds. Waiting saves transactions. A
   *   transaction costs as much as several attempts. Default: 0.
   */
  createRecorder<Result>(
    record: (results: readonly Result[]) => Promise<boolean>,
    debounceMs = 0,
  ): ResultRecorder<Result> {
    return new ResultRecorder(this, this.runner.after, record, debounceMs);
  }

  /** Keeps the run open until the task has ended. The task must never reject. */
  track(task: Promise<void>): void {
    const tracked = task.finally(() => {
      this.tasks.delete(tracked);
      if (this.tasks.size === 0) this.onIdle();
    });
    this.tasks.add(tracked);
  }

  /**
   * Reports that the storage has accepted a write. Don't report successful reads, because storage that can only be read counts as
   * failing.
   */
  reportSuccess(): void {
    this.runner.hasSucceeded = true;
  }

  reportFailure(error: unknown): void {
    this.runner.reportFailure(error);
  }

  async whenIdle(): Promise<void> {
    while (this.tasks.size > 0) await Promise.all(this.tasks);
  }
}

/** A lane of a target's work. It runs pieces of work, several concurrently if its limit allows, until nothing is due. */
export class Lane {
  private wakeCount = 0;
  /** The number of wakes after which a piece of work found that nothing more was due. */
  private exhaustedAt = 0;
  private running = 0;

  constructor(
    private readonly run: TargetRun,
    private readonly next: () => Promise<boolean>,
    private readonly concurrency: () => number,
  ) {}

  /** Starts the lane. If it is already running, makes it look for more work before it ends. */
  wake(): void {
    this.wakeCount += 1;
    this.fill();
  }

  private fill(): void {
    while (this.exhaustedAt < this.wakeCount && this.running < this.concurrency() && !this.run.isClosing) {
      this.running += 1;
      this.run.track(this.runNext(this.wakeCount));
    }
  }

  private async runNext(wakeCount: number): Promise<void> {
    try {
      if (!(await this.next())) this.exhaustedAt = Math.max(this.exhaustedAt, wakeCount);
    } catch (error) {
      this.exhaustedAt = this.wakeCount;
      this.run.reportFailure(error);
    }
    this.running -= 1;
    this.fill();
  }
}

/**
 * Pauses before results are recorded again while storage fails or another transaction holds the lock, in milliseconds. After the
 * last pause, the claims have expired anyway.
 */
const RETRY_DELAYS_MS = [50, 250, 1_000, 2_000, 4_000, 8_000, 16_000];

/** Longest pause, in milliseconds, that a closing runner still waits for. */
const MAX_CLOSING_DELAY_MS = 1_000;

/** Records the results of a target's jobs. Results that arrive while others are being recorded share a transaction. */
export class ResultRecorder<Result> {
  private waiting: Result[] = [];
  private recording: Promise<void> | null = null;

  constructor(
    private readonly run: TargetRun,
    private readonly after: SetTimer,
    private readonly record: (results: readonly Result[]) => Promise<boolean>,
    private readonly debounceMs: number,
  ) {}

  add(...results: readonly Result[]): void {
    this.waiting.push(...results);
    if (this.recording !== null || results.length === 0) return;
    this.recording = this.recordWaiting();
    this.run.track(this.recording);
  }

  /** Resolves once every result added so far has been recorded or has been abandoned after the last retry. */
  async whenIdle(): Promise<void> {
    await this.recording;
  }

  private async recordWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.debounceMs > 0) await this.pause(this.debounceMs);
      const results = this.waiting;
      this.waiting = [];
      await this.write(results);
    }
    this.recording = null;
  }

  /** Records results, with retries. If that fails, the results are lost, and the jobs are repeated when their claims expire. */
  private async write(results: readonly Result[]): Promise<void> {
    const { run } = this;
    for (const pause of [...RETRY_DELAYS_MS, null]) {
      try {
        const isRecorded = await this.record(results);
        run.reportSuccess();
        if (isRecorded) return;
      } catch (error) {
        run.reportFailure(error);
      }
      if (pause === null || (run.isClosing && pause > MAX_CLOSING_DELAY_MS)) return;
      await this.pause(pause);
    }
  }

  private pause(ms: number): Promise<void> {
    return new CancellableDelay(this.after).wait(ms);
  }
}

/** A job's result and the lease of the claim that the job belongs to. */
export interface LeasedResult<Outcome> {
  readonly lease: string;
  readonly outcome: Outcome;
}

/** Groups outcomes by lease, because the storage records the results of one claim at a time. */
export function groupByLease<Outcome>(
  results: readonly LeasedResult<Outcome>[],
): ReadonlyMap<string, readonly Outcome[]> {
  const groups = new Map<string, Outcome[]>();
  for (const { lease, outcome } of results) {
    const group = groups.get(lease);
    if (group === undefined) groups.set(lease, [outcome]);
    else group.push(outcome);
  }
  return groups;
}

/** Maximum number of organizations whose steps run concurrently. */
const MAX_CONCURRENT_STEPS = 4;

/** Work that is done one step at a time for each organization. A step has no effects outside transactions. */
export interface OrganizationWork {
  /**
   * Returns the IDs of at most `limit` organizations that have due work, starting with the organization that has waited longest.
   */
  queuesWithDueJobs(limit: number): Promise<string[]>;
  /**
   * Runs the organization's next due step.
   * @returns `false` if nothing was due.
   */
  advance(organizationId: string): Promise<boolean>;
  /**
   * Calls the listener when a commit in this process creates work.
   * @returns a function that unsubscribes.
   */
  onWork(listener: (organizationId: string) => void): () => void;
  readonly onError: ErrorListener;
}

/** Creates a runner for all organizations' due steps. Organizations take turns after each step. */
export function createStepRunner(work: OrganizationWork, options: JobRunnerOptions): JobRunner<string> {
  const slots = new Semaphore(MAX_CONCURRENT_STEPS);
  return new JobRunner<string>(
    {
      findWithWork: (limit) => work.queuesWithDueJobs(limit),
      getKey: (organizationId) => organizationId,
      open(organizationId, run) {
        const lane = run.createLane(async () => {
          const hasMore = await slots.run(() => work.advance(organizationId));
          run.reportSuccess();
          return hasMore;
        });
        return () => lane.wake();
      },
      onWork: (listener) => work.onWork(listener),
      onError: work.onError,
    },
    options,
  );
}
