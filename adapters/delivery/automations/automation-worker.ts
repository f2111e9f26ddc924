import { refuseOtherVersion } from "../../../src/base/copies.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";
import type { SetTimer } from "../jobs/timers.js";

export interface AutomationWorkerOptions {
  /** Interval between polls, in milliseconds. Polling finds due work and changes made by other processes. Default: 1,000. */
  readonly pollMs?: number;
  /** The function that starts timers. Defaults to the system's timers. */
  readonly after?: SetTimer;
}

/** A worker that runs a service's automations until it is closed. */
export interface AutomationWorker {
  /** Runs all work that is due, then resolves. Intended for tests and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /** Stops the worker. Resolves when the work in progress has finished. The service can be closed afterward. */
  close(): Promise<void>;
}

/**
 * Creates a worker that runs a service's automations until the worker is closed. Any number of processes can run such a worker on
 * the same storage, and each automation run is executed by only one of them. If a process dies, its unfinished run is rolled back
 * and is due again within a minute.
 *
 * @example
 * import { createAutomationWorker } from "loyalty-kit/webhooks";
 *
 * const worker = createAutomationWorker(loyalty);
 * process.once("SIGTERM", () => worker.close().then(() => loyalty.close()));
 */
export function createAutomationWorker(
  loyalty: LoyaltyService,
  { pollMs = 1_000, ...options }: AutomationWorkerOptions = {},
): AutomationWorker {
  refuseOtherVersion(loyalty, "LoyaltyService");
  const worker = new OrganizationWorker(serviceInternals(loyalty).automationBackend(), {
    pollMs,
    ...options,
  });
  worker.start();
  return {
    async runOnce() {
      await worker.runOnce();
    },
    close: () => worker.close(),
  };
}
