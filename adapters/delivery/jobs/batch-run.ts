import type { Semaphore } from "../../../src/base/concurrency/semaphore.js";
import type { TargetRun, WorkerState } from "./worker.js";

/** Maximum number of running jobs per target. */
const BATCH_SIZE = 100;

/** If no job in a batch finishes for this many milliseconds, the next batch is claimed alongside it. */
const STALL_MS = 500;

/** Claims jobs, runs them, and records their results in batches, for one target. */
export interface BatchSource<Job, Result> {
  /** Claims at most `limit` jobs that are due, and resolves to these jobs. */
  claim(limit: number): Promise<readonly Job[]>;
  /**
   * Starts running the jobs concurrently.
   * @returns a promise for each job's result, in the order of the jobs.
   */
  deliver(jobs: readonly Job[]): readonly Promise<Result>[];
  /**
   * Records the results of finished jobs.
   * @param jobs all jobs that were claimed in the same batch as the finished jobs.
   */
  recordResults(jobs: readonly Job[], results: readonly Result[]): Promise<void>;
}

/**
 * Runs a target's jobs in batches until none are due. A slow job doesn't delay later batches, but it counts toward the maximum
 * number of concurrent jobs until it finishes.
 */
export class BatchRun<Job, Result> implements TargetRun {
  private working: Promise<void> | null = null;
  private readonly late = new Set<Promise<void>>();

  /** @param slots limits how many targets run concurrently. */
  constructor(
    private readonly batches: BatchSource<Job, Result>,
    private readonly worker: WorkerState,
    private readonly slots: Semaphore,
    private readonly onIdle: () => void,
  ) {}

  get isIdle(): boolean {
    return this.working === null && this.late.size === 0;
  }

  wake(): void {
    this.working ??= this.slots
      .run(() => this.work())
      .catch((error: unknown) => this.worker.failed(error))
      .finally(() => {
        this.working = null;
        if (this.isIdle) this.onIdle();
      });
  }

  async whenIdle(): Promise<void> {
    while (!this.isIdle) await Promise.all([this.working, ...this.late]);
  }

  private async work(): Promise<void> {
    while (!this.worker.isClosing()) {
      const room = BATCH_SIZE - this.late.size;
      if (room === 0) return;
      const jobs = await this.batches.claim(room);
      if (jobs.length === 0) return;
      const { ended, others } = await waitForEnded(this.batches.deliver(jobs), STALL_MS);
      for (const other of others) this.recordLater(jobs, other);
      await this.batches.recordResults(jobs, ended);
      this.worker.succeeded();
      if (jobs.length < room) return;
    }
  }

  private recordLater(jobs: readonly Job[], other: Promise<Result>): void {
    const settled = other
      .then((result) => this.batches.recordResults(jobs, [result]))
      .catch((error: unknown) => this.worker.failed(error))
      .finally(() => {
        this.late.delete(settled);
        if (this.isIdle) this.onIdle();
      });
    this.late.add(settled);
  }
}

/** The results so far, in order of completion, and the promises that are still pending. */
interface Ended<T> {
  readonly ended: readonly T[];
  readonly others: readonly Promise<T>[];
}

/**
 * Waits until all promises have resolved, or none has resolved for a while.
 * @throws the first rejection's error.
 */
function waitForEnded<T>(works: readonly Promise<T>[], stallMs: number): Promise<Ended<T>> {
  return new Promise((resolve, reject) => {
    const left = new Set(works);
    const ended: T[] = [];
    const leave = () => resolve({ ended: [...ended], others: [...left] });
    let timer = setTimeout(leave, stallMs);
    for (const work of works) {
      work.then(
        (result) => {
          left.delete(work);
          ended.push(result);
          clearTimeout(timer);
          if (left.size === 0) leave();
          else timer = setTimeout(leave, stallMs);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    }
  });
}
