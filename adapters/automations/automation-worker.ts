import { refuseOtherVersion } from "../../src/copies.js";
import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import { OrganizationWorker } from "../jobs/organization-worker.js";
import type { SetTimer } from "../jobs/timers.js";

export interface AutomationWorkerOptions {
  /** How often to poll for changes by other processes and for due work, in milliseconds. Default: 1,000. */
  readonly pollMs?: number;
  /** Starts timers. Default: the system's timers. */
  readonly after?: SetTimer;
}

/** Runs a service's automations. */
export interface AutomationWorker {
  /** Does all due work, then resolves. For tests, and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /** Stops the worker. Resolves when running work has ended; the service can be closed then. */
  close(): Promise<void>;
}

/**
 * Runs a service's automations until it is closed. Any number of processes may do so on one storage: each run is executed by one of
 * them. If a process dies, the run that it had begun is rolled back and is due again within a minute.
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
