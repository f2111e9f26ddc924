import { Semaphore } from "../../../src/base/concurrency/semaphore.js";
import type { WalletOutcome } from "../../../src/storage/wallets.js";
import type { WalletBackend, WalletJob } from "../../../src/wallets/wallet-backend.js";
import { BatchRun } from "../jobs/batch-run.js";
import { type TargetRun, Worker, type WorkerState } from "../jobs/worker.js";
import type { Deliverer } from "./deliverer.js";

/** Maximum number of organizations served concurrently, in total and per platform. */
const SERVED_AT_ONCE = 4;

/** Minimum time between two polls, in milliseconds. */
const MIN_PAUSE_MS = 50;

/** Applies events to cards and delivers the changed cards to wallets until the worker is closed. */
export class WalletWorker {
  private readonly worker: Worker<string>;

  /** @param pollMs the interval between polls for due work and for work from other processes, in milliseconds. */
  constructor(
    backend: WalletBackend,
    private readonly deliverers: readonly Deliverer[],
    pollMs = 1_000,
  ) {
    const slots = new Semaphore(SERVED_AT_ONCE);
    const platforms = deliverers.map((deliverer) => ({ deliverer, slots: new Semaphore(SERVED_AT_ONCE) }));
    this.worker = new Worker(
      {
        findWithWork: (limit) => backend.queuesWithDueJobs(limit),
        keyOf: (organizationId) => organizationId,
        open: (...place) => new QueueRun(backend, slots, platforms, ...place),
        onWork: (listener) => backend.onWork(listener),
        onError: backend.onError,
      },
      { pollMs, minPauseMs: MIN_PAUSE_MS },
    );
  }

  start(): void {
    this.worker.start();
  }

  /** Stops the worker. Resolves when the work in progress has finished. */
  async close(): Promise<void> {
    const closed = this.worker.close();
    for (const deliverer of this.deliverers) deliverer.stop?.();
    await closed;
    for (const deliverer of this.deliverers) deliverer.close();
  }

  /**
   * Runs all work that is due.
   * @returns `false` if the storage or a deliverer failed, or `true` otherwise.
   */
  runOnce(): Promise<boolean> {
    return this.worker.runOnce();
  }
}

interface Platform {
  readonly deliverer: Deliverer;
  /** Limits how many organizations are served concurrently. */
  readonly slots: Semaphore;
}

/** Processes one organization's queue. A slow wallet delays no other wallet. */
class QueueRun implements TargetRun {
  private readonly deliveries: readonly BatchRun<WalletJob, WalletOutcome>[];
  /** Calls for a locked queue do nothing, so this process makes only one call at a time. */
  private readonly turns = new Semaphore(1);
  private following: Promise<void> | null = null;
  private isWoken = false;

  constructor(
    private readonly backend: WalletBackend,
    private readonly slots: Semaphore,
    platforms: readonly Platform[],
    private readonly organizationId: string,
    private readonly worker: WorkerState,
    private readonly onIdle: () => void,
  ) {
    this.deliveries = platforms.map(
      ({ deliverer, slots }) =>
        new BatchRun(this.batchesFor(deliverer), worker, slots, () => this.endIfIdle()),
    );
  }

  wake(): void {
    this.isWoken = true;
    this.following ??= this.slots
      .run(() => this.follow())
      .catch((error: unknown) => this.worker.failed(error))
      .finally(() => {
        this.following = null;
        // The queue may have been woken after it ran out of work.
        if (this.isWoken && !this.worker.isClosing()) this.wake();
        else this.endIfIdle();
      });
  }

  async whenIdle(): Promise<void> {
    await this.following;
    await Promise.all(this.deliveries.map((delivery) => delivery.whenIdle()));
  }

  private async follow(): Promise<void> {
    const { backend, organizationId, turns, worker } = this;
    while (this.isWoken && !worker.isClosing()) {
      this.isWoken = false;
      while (!worker.isClosing() && (await turns.run(() => backend.follow(organizationId))));
      // Once per poll, so that a new design for many cards is delivered at a moderate pace.
      await turns.run(() => backend.refreshNext(organizationId));
      worker.succeeded();
      for (const delivery of this.deliveries) delivery.wake();
    }
  }

  private batchesFor(deliverer: Deliverer) {
    const { backend, organizationId, turns } = this;
    const { platform } = deliverer;
    return {
      claim: (limit: number) => turns.run(() => backend.claim(organizationId, platform, limit)),
      deliver: (jobs: readonly WalletJob[]) => deliverer.deliver(jobs),
      recordResults: async ([first]: readonly WalletJob[], outcomes: readonly WalletOutcome[]) => {
        if (first === undefined) return;
        await turns.run(() => backend.recordResults(organizationId, platform, first.lease, outcomes));
      },
    };
  }

  private endIfIdle(): void {
    if (this.following === null && this.deliveries.every(({ isIdle }) => isIdle)) this.onIdle();
  }
}
