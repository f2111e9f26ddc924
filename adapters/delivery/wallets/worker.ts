import { Semaphore } from "../../../src/base/concurrency/fair-semaphore.js";
import type { WalletOutcome } from "../../../src/storage/wallets.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import { groupByLease, JobRunner, type Lane, type LeasedResult, type TargetRun } from "../jobs/job-runner.js";
import type { Deliverer } from "./wallet-platform.js";

/** Maximum number of organizations served concurrently, in total and per platform. */
const MAX_CONCURRENT_ORGANIZATIONS = 4;

/** Maximum number of an organization's deliveries to one platform that are in progress. */
const BATCH_SIZE = 100;

/** If no delivery of a batch finishes for this many milliseconds, the next batch is claimed alongside it. */
const STALL_MS = 500;

interface Platform {
  readonly deliverer: Deliverer;
  /** Limits how many organizations are served concurrently. */
  readonly slots: Semaphore;
}

/** Applies events to cards and delivers the changed cards to wallets until the worker is closed. */
export class WalletWorker {
  private readonly runner: JobRunner<string>;
  private readonly slots = new Semaphore(MAX_CONCURRENT_ORGANIZATIONS);
  private readonly platforms: readonly Platform[];

  /** @param pollMs the interval between polls for due work and for work from other processes, in milliseconds. */
  constructor(
    private readonly backend: WalletBackend,
    deliverers: readonly Deliverer[],
    pollMs = 1_000,
  ) {
    this.platforms = deliverers.map((deliverer) => ({
      deliverer,
      slots: new Semaphore(MAX_CONCURRENT_ORGANIZATIONS),
    }));
    this.runner = new JobRunner<string>(
      {
        findWithWork: (limit) => backend.queuesWithDueJobs(limit),
        getKey: (organizationId) => organizationId,
        open: (organizationId, run) => this.open(organizationId, run),
        onWork: (listener) => backend.onWork(listener),
        onError: backend.onError,
      },
      { pollMs },
    );
  }

  start(): void {
    this.runner.start();
  }

  /** Stops the worker. Resolves when the work in progress has finished. */
  async close(): Promise<void> {
    const closed = this.runner.close();
    for (const { deliverer } of this.platforms) deliverer.stop?.();
    await closed;
    for (const { deliverer } of this.platforms) deliverer.close();
  }

  /**
   * Runs all work that is due.
   * @returns `false` if the storage or a deliverer failed, or `true` otherwise.
   */
  runOnce(): Promise<boolean> {
    return this.runner.runOnce();
  }

  /** Opens a lane that applies events to cards, and a lane for each platform, so that a slow wallet delays no other wallet. */
  private open(organizationId: string, run: TargetRun): () => void {
    const { backend } = this;
    // Calls for a locked queue do nothing, so this process makes only one call at a time.
    const semaphore = new Semaphore(1);
    const deliveries = this.platforms.map((platform) =>
      this.openDeliveries(organizationId, run, platform, semaphore),
    );
    const follow = async () => {
      if (await semaphore.run(() => backend.follow(organizationId))) return true;
      // Once per poll, so that a new design for many cards is delivered at a moderate pace.
      await semaphore.run(() => backend.refreshNext(organizationId));
      run.reportSuccess();
      for (const lane of deliveries) lane.wake();
      return false;
    };
    const followerLane = run.createLane(() => this.slots.run(follow));
    return () => followerLane.wake();
  }

  private openDeliveries(
    organizationId: string,
    run: TargetRun,
    { deliverer, slots }: Platform,
    semaphore: Semaphore,
  ): Lane {
    const { backend } = this;
    const { platform } = deliverer;
    const recorder = run.createRecorder(async (results: readonly LeasedResult<WalletOutcome>[]) => {
      for (const [lease, outcomes] of groupByLease(results))
        await semaphore.run(() => backend.recordResults(organizationId, platform, lease, outcomes));
      return true;
    });
    let pendingCount = 0;
    const recordLater = async (lease: string, delivery: Promise<WalletOutcome>) => {
      pendingCount += 1;
      try {
        recorder.add({ lease, outcome: await delivery });
      } catch (error) {
        run.reportFailure(error);
      }
      pendingCount -= 1;
    };
    const deliverBatch = async () => {
      const capacity = BATCH_SIZE - pendingCount;
      if (capacity === 0) return false;
      const jobs = await semaphore.run(() => backend.claim(organizationId, platform, capacity));
      const [first] = jobs;
      if (first === undefined) return false;
      const { lease } = first;
      const { finished, pending } = await waitForFinished(deliverer.deliver(jobs), STALL_MS);
      for (const other of pending) run.track(recordLater(lease, other));
      recorder.add(...finished.map((outcome) => ({ lease, outcome })));
      await recorder.whenIdle();
      return jobs.length === capacity;
    };
    return run.createLane(() => slots.run(deliverBatch));
  }
}

/** The results so far, in order of completion, and the promises that are still pending. */
interface BatchProgress<T> {
  readonly finished: readonly T[];
  readonly pending: readonly Promise<T>[];
}

/**
 * Waits until all promises have resolved, or none has resolved for a while.
 * @throws the first rejection's error.
 */
function waitForFinished<T>(tasks: readonly Promise<T>[], stallMs: number): Promise<BatchProgress<T>> {
  return new Promise((resolve, reject) => {
    const pending = new Set(tasks);
    const finished: T[] = [];
    const finish = () => resolve({ finished: [...finished], pending: [...pending] });
    let timer = setTimeout(finish, stallMs);
    for (const work of tasks) {
      work.then(
        (result) => {
          pending.delete(work);
          finished.push(result);
          clearTimeout(timer);
          if (pending.size === 0) finish();
          else timer = setTimeout(finish, stallMs);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(error);
        },
      );
    }
  });
}
