import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";

/** A handle to a service's message worker. All handles share one worker, which runs until the last handle is closed. */
export interface SharedMessageWorker {
  /** Starts the worker, unless it has already been started through another handle. */
  start(): void;
  /** Runs all work that is due, then resolves. */
  runOnce(): Promise<void>;
  /** Releases this handle. If it was the last one, stops the worker and resolves when the work in progress has finished. */
  close(): Promise<void>;
}

interface WorkerReference {
  readonly worker: OrganizationWorker;
  holders: number;
  isStarted: boolean;
}

const shared = new WeakMap<LoyaltyService, WorkerReference>();

/**
 * Acquires a handle to a service's message worker, which the mail and wallet modules in this process share. The caller must close
 * the handle.
 * @param pollMs the interval between polls for due work and for work from other processes, in milliseconds. Only the value from the
 *   first handle is used.
 */
export function acquireMessageWorker(loyalty: LoyaltyService, pollMs: number): SharedMessageWorker {
  const held = shared.get(loyalty) ?? {
    worker: new OrganizationWorker(serviceInternals(loyalty).messageBackend(), { pollMs }),
    holders: 0,
    isStarted: false,
  };
  shared.set(loyalty, held);
  held.holders += 1;
  let isHeld = true;
  return {
    start() {
      if (!held.isStarted) held.worker.start();
      held.isStarted = true;
    },
    async runOnce() {
      await held.worker.runOnce();
    },
    async close() {
      if (!isHeld) return;
      isHeld = false;
      held.holders -= 1;
      if (held.holders > 0) return;
      shared.delete(loyalty);
      await held.worker.close();
    },
  };
}
