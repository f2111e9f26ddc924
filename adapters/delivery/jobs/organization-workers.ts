import { assertSameVersion } from "../../../src/base/copies.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import { createStepRunner, type JobRunner } from "./job-runner.js";
import type { SetTimer } from "./timers.js";

export interface AutomationWorkerOptions {
  /** Interval between polls, in milliseconds. Polling picks up due work and changes made by other processes. Default: 1,000. */
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
 * Creates a worker that runs a service's automations until the worker is closed. Any number of processes can run the worker on the
 * same storage, because each automation run is executed by only one of them. If a process dies, its unfinished run is rolled back
 * and becomes due again within a minute.
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
  assertSameVersion(loyalty, "LoyaltyService");
  const runner = createStepRunner(serviceInternals(loyalty).backends.automations, { pollMs, ...options });
  runner.start();
  return {
    async runOnce() {
      await runner.runOnce();
    },
    close: () => runner.close(),
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
  /** Stops the worker. Resolves when the work in progress has finished. The service can be closed afterward. */
  close(): Promise<void>;
}

/**
 * Creates a worker that keeps segments up to date, as if `loyalty.refreshSegments` were called repeatedly. Until it is closed, it
 * refreshes segments within a second of each change and each midnight. Any number of processes can run the worker on the same
 * storage. The event for a user who enters or leaves a segment is still emitted only once.
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
  assertSameVersion(loyalty, "LoyaltyService");
  const { tags, points, segments } = serviceInternals(loyalty).backends;
  const runners = [tags, points, segments].map((backend) =>
    createStepRunner(backend, { pollMs, ...options }),
  );
  for (const runner of runners) runner.start();
  return {
    async close() {
      await Promise.all(runners.map((runner) => runner.close()));
    },
  };
}

/** A handle to a service's message worker. All handles share one worker, which runs until the last handle is closed. */
export interface SharedMessageWorker {
  /** Starts the worker, unless it has already been started through another handle. */
  start(): void;
  /** Runs all work that is due, then resolves. */
  runOnce(): Promise<void>;
  /** Releases this handle. If it was the last one, stops the worker and resolves when the work in progress has finished. */
  close(): Promise<void>;
}

interface RunnerReference {
  readonly runner: JobRunner<string>;
  holders: number;
  isStarted: boolean;
}

const shared = new WeakMap<LoyaltyService, RunnerReference>();

/**
 * Acquires a handle to a service's message worker, which the mail and wallet modules in this process share. The caller must close
 * the handle.
 * @param pollMs the interval between polls for due work and for work from other processes, in milliseconds. Only the first handle's
 *   value is used.
 */
export function acquireMessageWorker(loyalty: LoyaltyService, pollMs: number): SharedMessageWorker {
  const workers = shared.get(loyalty) ?? {
    runner: createStepRunner(serviceInternals(loyalty).backends.messages, { pollMs }),
    holders: 0,
    isStarted: false,
  };
  shared.set(loyalty, workers);
  workers.holders += 1;
  let isHeld = true;
  return {
    start() {
      if (!workers.isStarted) workers.runner.start();
      workers.isStarted = true;
    },
    async runOnce() {
      await workers.runner.runOnce();
    },
    async close() {
      if (!isHeld) return;
      isHeld = false;
      workers.holders -= 1;
      if (workers.holders > 0) return;
      shared.delete(loyalty);
      await workers.runner.close();
    },
  };
}
