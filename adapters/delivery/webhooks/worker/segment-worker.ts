import { refuseOtherVersion } from "../../../../src/base/copies.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import { OrganizationWorker } from "../../jobs/organization-worker.js";
import type { SetTimer } from "../../jobs/timers.js";

export interface SegmentWorkerOptions {
  /**
   * Interval between polls, in milliseconds. Polling finds changes made by other processes and the start of a new day. Default:
   * 1,000.
   */
  readonly pollMs?: number;
  /** The function that starts timers. Defaults to the system's timers. */
  readonly after?: SetTimer;
}

/**
 * Keeps segments' members up to date and emits events when users enter or leave segments. Also finishes deleting and merging tags.
 */
export interface SegmentWorker {
  /** Stops the worker. Resolves when the work in progress has finished. The service can be closed afterward. */
  close(): Promise<void>;
}

/**
 * Creates a worker that keeps segments up to date, as repeated calls to `loyalty.refreshSegments` would. Until it is closed, it
 * refreshes segments within a second of each change and each midnight. Any number of processes can run the worker on the same
 * storage, and the event for a user who enters or leaves a segment is still emitted only once.
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
