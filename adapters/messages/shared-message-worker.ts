import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";

/** The message worker of a service, which runs in this process as long as it has a holder. */
export interface SharedMessageWorker {
  /** Starts it, unless another holder has. */
  start(): void;
  /** Does all there is to do now. */
  runOnce(): Promise<void>;
  /** Releases it. For the last holder, resolves when running work has ended. */
  close(): Promise<void>;
}

interface WorkerReference {
  readonly worker: OrganizationWorker;
  holders: number;
  isStarted: boolean;
}

const shared = new WeakMap<LoyaltyService, WorkerReference>();

/**
 * Returns the message worker of a service, which the mails and wallets of a process share.
 * @param pollMs the time between two polls for work of other processes and due work, in milliseconds; the first caller's counts.
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
