import { Semaphore } from "../../../src/base/concurrency/semaphore.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { SetTimer } from "./timers.js";
import { type TargetRun, Worker, type WorkerState } from "./worker.js";

/** Maximum number of organizations served concurrently. Organizations take turns. */
const SERVED_AT_ONCE = 4;

/** Minimum pause between polls, in milliseconds. */
const MIN_PAUSE_MS = 50;

/**
 * Work that an {@link OrganizationWorker} runs step by step for each organization. A step has no effects outside of transactions.
 */
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

export interface OrganizationWorkerOptions {
  /** Interval between polls, in milliseconds. Polling finds due work and changes made by other processes. */
  readonly pollMs: number;
  readonly after?: SetTimer;
}

/** Runs the due work of all organizations until the worker is closed. Organizations take turns after each step. */
export class OrganizationWorker {
  private readonly worker: Worker<string>;

  constructor(steps: OrganizationWork, options: OrganizationWorkerOptions) {
    const slots = new Semaphore(SERVED_AT_ONCE);
    this.worker = new Worker<string>(
      {
        findWithWork: (limit) => steps.queuesWithDueJobs(limit),
        keyOf: (organizationId) => organizationId,
        open: (...place) => new OrganizationRun(steps, slots, ...place),
        onWork: (listener) => steps.onWork(listener),
        onError: steps.onError,
      },
      { ...options, minPauseMs: MIN_PAUSE_MS },
    );
  }

  start(): void {
    this.worker.start();
  }

  /**
   * Runs all work that is due now.
   * @returns `false` if something failed.
   */
  runOnce(): Promise<boolean> {
    return this.worker.runOnce();
  }

  /** Stops the worker. Resolves when the work in progress has finished. */
  async close(): Promise<void> {
    await this.worker.close();
  }
}

/** Runs one organization's steps while something is due. */
class OrganizationRun implements TargetRun {
  private working: Promise<void> | null = null;
  private isWoken = false;

  /** @param slots the slots that limit concurrency. Each step takes a slot of its own, so that organizations take turns. */
  constructor(
    private readonly steps: OrganizationWork,
    private readonly slots: Semaphore,
    private readonly organizationId: string,
    private readonly worker: WorkerState,
    private readonly onIdle: () => void,
  ) {}

  wake(): void {
    this.isWoken = true;
    this.working ??= this.work()
      .catch((error: unknown) => this.worker.failed(error))
      .finally(() => {
        this.working = null;
        // New work may have arrived since the last step found nothing.
        if (this.isWoken && !this.worker.isClosing()) this.wake();
        else this.onIdle();
      });
  }

  async whenIdle(): Promise<void> {
    while (this.working !== null) await this.working;
  }

  private async work(): Promise<void> {
    const { steps, organizationId, worker } = this;
    this.isWoken = false;
    while (!worker.isClosing() && (await this.slots.run(() => steps.advance(organizationId))))
      worker.succeeded();
    worker.succeeded();
  }
}
