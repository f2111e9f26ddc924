import { Semaphore } from "../../src/concurrency/semaphore.js";
import type { ErrorListener } from "../../src/events/event-emitter.js";
import type { SetTimer } from "./timers.js";
import { type TargetRun, Worker, type WorkerState } from "./worker.js";

/** The most organizations served at the same time, before others take their turn. */
const SERVED_AT_ONCE = 4;

/** The least time between two looks for work, in milliseconds. */
const MIN_PAUSE_MS = 50;

/** The work of organizations that is done in transactions alone, one step after the other. */
export interface OrganizationWork {
  /** The organizations that have something to do now, those that wait longest first. */
  queuesWithDueJobs(limit: number): Promise<string[]>;
  /** Does the next thing that is due of an organization. @returns false when nothing was. */
  advance(organizationId: string): Promise<boolean>;
  /** Listens for commits in this process that leave something to do. @returns a function that ends it. */
  onWork(listener: (organizationId: string) => void): () => void;
  readonly onError: ErrorListener;
}

export interface OrganizationWorkerOptions {
  /** How often to poll for changes of other processes and work that is due, in milliseconds. */
  readonly pollMs: number;
  readonly after?: SetTimer;
}

/** Does the work of all organizations, in turns, until it is closed. */
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

  /** Does all there is to do now. @returns false when the storage failed. */
  runOnce(): Promise<boolean> {
    return this.worker.runOnce();
  }

  /** Stops the worker. Resolves when running work has ended. */
  async close(): Promise<void> {
    await this.worker.close();
  }
}

/** The work of one organization, as long as something is due. */
class OrganizationRun implements TargetRun {
  private working: Promise<void> | null = null;
  private isWoken = false;

  /** @param slots each step of an organization takes a place of its own, so that all have their turns. */
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
        // It may have been woken since it found nothing more to do.
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
