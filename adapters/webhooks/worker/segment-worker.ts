import { refuseOtherVersion } from "../../../src/copies.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { OrganizationWorker } from "../../jobs/organization-worker.js";
import type { SetTimer } from "../../jobs/timers.js";

export interface SegmentWorkerOptions {
  /** How often to poll for changes by other processes and for midnights, in milliseconds. Default: 1,000. */
  readonly pollMs?: number;
  /** Starts timers. Default: the system's timers. */
  readonly after?: SetTimer;
}

/** Keeps segments' members up to date, emits events for users who enter or leave, and finishes deleting and merging tags. */
export interface SegmentWorker {
  /** Stops the worker. Resolves when running work has ended; the service can be closed then. */
  close(): Promise<void>;
}

/**
 * Does the work of `loyalty.refreshSegments` within a second after each change and each midnight, until it is closed. Any number of
 * processes may run it on one storage: each move is emitted once.
 *
 * @example
 * import { createSegmentWorker } from "loyalty-kit/webhooks";
 *
 * const worker = createSegmentWorker(loyalty);
 * process.once("SIGTERM", () => worker.close().then(() => loyalty.close()));
 */
export function createSegmentWorker(
  loyalty: LoyaltyService,
  { pollMs = 1_000, ...options }: SegmentWorkerOptions = {},
): SegmentWorker {
  refuseOtherVersion(loyalty, "LoyaltyService");
  const backends = [serviceInternals(loyalty).tagBackend(), serviceInternals(loyalty).segmentBackend()];
  const workers = backends.map((backend) => new OrganizationWorker(backend, { pollMs, ...options }));
  for (const worker of workers) worker.start();
  return {
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
