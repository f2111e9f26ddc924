import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";

/** A handle to a service's message worker, which several holders share. The worker runs until the last holder closes its handle. */
export interface SharedMessageWorker {
  /** Starts the worker, unless another holder has already started it. */
  start(): void;
  /** Runs all due work. Resolves when it is done. */
  runOnce(): Promise<void>;
  /** Releases this handle. Closing the last handle stops the worker and resolves when its running work has ended. */
  close(): Promise<void>;
}

interface WorkerReference {
  readonly worker: OrganizationWorker;
  holders: number;
  isStarted: boolean;
}

const shared = new WeakMap<LoyaltyService, WorkerReference>();

/**
 * Acquires a handle to the message worker that the mail and wallet modules in a process share for each service. The caller must
 * close the handle.
 * @param pollMs how often to poll for due work and for work from other processes, in milliseconds. Only the first holder's value is
 *   used.
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
