import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";

/** A service's message worker, shared by several holders. It runs until the last holder closes it. */
export interface SharedMessageWorker {
  /** Starts the worker, unless another holder has already started it. */
  start(): void;
  /** Runs all due work, then resolves. */
  runOnce(): Promise<void>;
  /**
   * Releases this holder's share in the worker. If no holder is left, stops the worker and resolves when running work has ended.
   */
  close(): Promise<void>;
}

interface WorkerReference {
  readonly worker: OrganizationWorker;
  holders: number;
  isStarted: boolean;
}

const shared = new WeakMap<LoyaltyService, WorkerReference>();

/**
 * Returns a service's message worker, which the mail and wallet modules in a process share. The caller becomes one of its holders
 * and must close it.
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
