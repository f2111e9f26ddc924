import type { LoyaltyService } from "../../src/loyalty-service.js";
import { serviceInternals } from "../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";

/** The messages of a service, which this process sends as long as somebody holds them. */
export interface SharedMessageWorker {
  /** Begins to send them, unless somebody else has. */
  start(): void;
  /** Does all there is to do now. */
  runOnce(): Promise<void>;
  /** Lets go of them. When nobody holds them any more, it resolves when what is under way has ended. */
  close(): Promise<void>;
}

interface WorkerReference {
  readonly worker: OrganizationWorker;
  holders: number;
  isStarted: boolean;
}

const shared = new WeakMap<LoyaltyService, WorkerReference>();

/**
 * Holds the messages of a service: mails and wallets of a process have one worker for them.
 * @param pollMs the time between two looks for what other processes did and what is due, in milliseconds; that of who comes first.
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
