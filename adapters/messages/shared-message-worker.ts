import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";

/** A service's message worker. It runs in this process while it has at least one holder. */
export interface SharedMessageWorker {
  /** Starts the worker, unless another holder has already started it. */
  start(): void;
  /** Does all work that is due now. */
  runOnce(): Promise<void>;
  /** Releases the worker. For the last holder, stops it and resolves when running work has ended. */
  close(): Promise<void>;
}

interface WorkerReference {
  readonly worker: OrganizationWorker;
  holders: number;
  isStarted: boolean;
}

const shared = new WeakMap<LoyaltyService, WorkerReference>();

/**
 * Returns a service's message worker, which the mail and wallet modules in a process share.
 * @param pollMs how often to poll for other processes' work and for due work, in milliseconds. The first caller's value applies.
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
