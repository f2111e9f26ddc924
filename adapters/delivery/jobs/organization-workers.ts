import { assertSameVersion } from "../../../src/base/copies.js";
import { serviceInternals } from "../../../src/internals.js";
import type { ServiceWorkers, SharedWorker } from "../../../src/kernel/service-workers.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { createStepRunner, type OrganizationWork } from "./job-runner.js";
import type { SetTimer } from "./timers.js";

export interface AutomationWorkerOptions {
  /** Interval between polls, in milliseconds. Polling picks up due work and changes made by other processes. Default: 1,000. */
  readonly pollMs?: number;
  /** The function that starts timers. Defaults to the system's timers. */
  readonly after?: SetTimer;
}

/** A worker that runs a service's automations until it or the service is closed. */
export interface AutomationWorker {
  /** Runs all work that is due, then resolves. Intended for tests and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /** Stops the worker before the service is closed. Resolves when the work in progress has finished. */
  close(): Promise<void>;
}

/**
 * Creates a worker that runs a service's automations until it or the service is closed. Any number of processes can run the worker
 * on the same storage, because each automation run is executed by only one of them. If a process dies, its unfinished run is rolled
 * back and becomes due again within a minute.
 * @example
 * import { createAutomationWorker } from "loyalty-kit/webhooks";
 *
 * createAutomationWorker(loyalty);
 * process.once("SIGTERM", () => loyalty.close());
 */
export function createAutomationWorker(
  loyalty: LoyaltyService,
  { pollMs = 1_000, ...options }: AutomationWorkerOptions = {},
): AutomationWorker {
  assertSameVersion(loyalty, "LoyaltyService");
  const { backends, workers } = serviceInternals(loyalty);
  const runner = createStepRunner(backends.automations, { pollMs, ...options });
  runner.start();
  return {
    async runOnce() {
      await runner.runOnce();
    },
    close: workers.add(() => runner.close()),
  };
}

export interface SegmentWorkerOptions {
  /**
   * Interval between polls, in milliseconds. Polling detects changes made by other processes and the start of a new day. Default:
   * 1,000.
   */
  readonly pollMs?: number;
  /** The function that starts timers. Defaults to the system's timers. */
  readonly after?: SetTimer;
}

/**
 * Keeps segments' members up to date and emits events when users enter or leave segments. Also finishes deleting and merging tags,
 * records points that have expired, and updates wallet cards whose pending points have become usable.
 */
export interface SegmentWorker {
  /** Stops the worker before the service is closed. Resolves when the work in progress has finished. */
  close(): Promise<void>;
}

/**
 * Creates a worker that keeps segments up to date, as if `loyalty.refreshSegments` were called repeatedly. Until it is closed, it
 * refreshes segments within a second of each change and each midnight. Any number of processes can run the worker on the same
 * storage. The event for a user who enters or leaves a segment is still emitted only once.
 * @example
 * import { createSegmentWorker } from "loyalty-kit/webhooks";
 *
 * createSegmentWorker(loyalty);
 * process.once("SIGTERM", () => loyalty.close());
 */
export function createSegmentWorker(
  loyalty: LoyaltyService,
  { pollMs = 1_000, ...options }: SegmentWorkerOptions = {},
): SegmentWorker {
  assertSameVersion(loyalty, "LoyaltyService");
  const { backends, workers } = serviceInternals(loyalty);
  const { tags, points, segments } = backends;
  const runners = [tags, points, segments].map((backend) =>
    createStepRunner(backend, { pollMs, ...options }),
  );
  for (const runner of runners) runner.start();
  return {
    close: workers.add(async () => {
      await Promise.all(runners.map((runner) => runner.close()));
    }),
  };
}

/**
 * Returns the worker that sends a service's messages. Email and wallets share it.
 * @param pollMs the interval between polls for due work and for work from other processes, in milliseconds. Only the value of the
 *   first call is used.
 */
export function getOrCreateMessageWorker(loyalty: LoyaltyService, pollMs: number): SharedWorker {
  const { backends, workers } = serviceInternals(loyalty);
  workers.messages ??= createMessageWorker(backends.messages, workers, pollMs);
  return workers.messages;
}

function createMessageWorker(work: OrganizationWork, workers: ServiceWorkers, pollMs: number): SharedWorker {
  const runner = createStepRunner(work, { pollMs });
  let isStarted = false;
  workers.add(() => runner.close());
  return {
    start() {
      if (!isStarted) runner.start();
      isStarted = true;
    },
    async runOnce() {
      await runner.runOnce();
    },
  };
}
