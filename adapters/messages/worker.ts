import { Semaphore } from "../../src/concurrency/semaphore.js";
import type { MessageBackend } from "../../src/messages/message-backend.js";
import type { After } from "../jobs/timers.js";
import { type Run, Worker, type WorkerState } from "../jobs/worker.js";

/** So many organizations have something done at once, and then it is the turn of others. */
const SERVED_AT_ONCE = 4;

/** The least time between two looks for messages, in milliseconds. */
const MIN_PAUSE_MS = 50;

/** The messages as a worker uses them. */
export type Messages = Pick<MessageBackend, "queuesToServe" | "advance" | "onGrowth" | "onError">;

export interface MessageWorkerOptions {
  /** The time between two looks for what other processes did and what is due, in milliseconds. */
  readonly pollMs: number;
  readonly after?: After;
}

/** Begins the messages of all organizations, makes their deliveries and ends them, until it is closed. */
export class MessageWorker {
  private readonly worker: Worker<string>;

  constructor(messages: Messages, options: MessageWorkerOptions) {
    const slots = new Semaphore(SERVED_AT_ONCE);
    this.worker = new Worker<string>(
      {
        find: (limit) => messages.queuesToServe(limit),
        keyOf: (organizationId) => organizationId,
        open: (...place) => new OrganizationMessages(messages, slots, ...place),
        onGrowth: (listener) => messages.onGrowth(listener),
        onError: messages.onError,
      },
      { ...options, minPauseMs: MIN_PAUSE_MS },
    );
  }

  start(): void {
    this.worker.start();
  }

  /** Does all there is to do now. @returns false when the storage failed. */
  step(): Promise<boolean> {
    return this.worker.step();
  }

  /** Begins nothing more. Resolves when what is under way has ended. */
  async close(): Promise<void> {
    await this.worker.close();
  }
}

/** The messages of one organization, as long as something is due. */
class OrganizationMessages implements Run {
  private working: Promise<void> | null = null;
  private isWoken = false;

  /** @param slots each step of an organization takes a place of its own, so that all have their turns. */
  constructor(
    private readonly messages: Messages,
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

  async settled(): Promise<void> {
    while (this.working !== null) await this.working;
  }

  private async work(): Promise<void> {
    const { messages, organizationId, worker } = this;
    this.isWoken = false;
    while (!worker.isClosing() && (await this.slots.run(() => messages.advance(organizationId))))
      worker.succeeded();
    worker.succeeded();
  }
}
