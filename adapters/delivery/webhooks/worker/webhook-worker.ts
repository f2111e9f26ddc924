import { assertSameVersion } from "../../../../src/base/copies.js";
import { isLoopbackAddress, isPublicAddress } from "../../../../src/base/values/networks.js";
import { serviceInternals } from "../../../../src/internals.js";
import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { EndpointToServe } from "../../../../src/storage/webhooks.js";
import type { WebhookQueue } from "../../../../src/webhooks/queue.js";
import { JobRunner } from "../../jobs/job-runner.js";
import { type SetTimer, systemTimer } from "../../jobs/timers.js";
import { type AttemptSettings, type SendWebhook, WorkerShutdown } from "./attempt.js";
import { type DeliveryQueue, EndpointRun, Slots } from "./endpoint-run.js";
import type { WebhookClient } from "./webhook-client.js";

/** Minimum pause between polls for 100 endpoints, in milliseconds. Otherwise each change in a busy stream would cause a poll. */
const MIN_PAUSE_MS = 20;

export interface WebhookWorkerOptions {
  /**
   * Maximum number of concurrent attempts. At most half of them go to failing or slow endpoints, and at most a quarter to endpoints
   * that this worker hasn't tried yet. Default: 100.
   */
  readonly attempts?: number;
  /** Maximum number of concurrent attempts per endpoint. Default: 4. */
  readonly attemptsPerEndpoint?: number;
  /** Interval between polls, in milliseconds. Polling picks up due retries and work from other processes. Default: 1,000. */
  readonly pollMs?: number;
  /** Whether to deliver automatically. If `false`, attempts are made only by {@link WebhookWorker.runOnce}. Default: `true`. */
  readonly deliver?: boolean;
  /** Maximum duration of an attempt, in milliseconds. Default and maximum: 15,000. */
  readonly timeoutMs?: number;
  /**
   * Replaces the function that sends requests, for tests. The replacement must itself refuse to connect to addresses that aren't
   * public.
   */
  readonly send?: SendWebhook;
  /**
   * Replaces the function that starts timers, for tests. This doesn't affect the current time, which comes from the service's
   * clock.
   */
  readonly after?: SetTimer;
}

/** A worker that delivers webhooks until it or the service is closed. */
export interface WebhookWorker {
  /**
   * Makes all attempts that are due. Resolves when they have finished. Intended for tests and for hosts with their own scheduler.
   */
  runOnce(): Promise<void>;
  /**
   * Stops starting new attempts before the service is closed. Resolves when the in-flight attempts have finished and their results
   * are recorded.
   */
  close(options?: WebhookWorkerEnd): Promise<void>;
}

/** How {@link WebhookWorker.close} treats attempts that are still in flight. */
export interface WebhookWorkerEnd {
  /**
   * How long to wait for in-flight attempts before canceling them, in milliseconds. Canceled attempts aren't recorded, and a worker
   * retries them within a minute. By default, each attempt can take its full {@link WebhookWorkerOptions.timeoutMs}.
   */
  readonly withinMs?: number;
}

/**
 * Creates a worker that delivers a service's events to the webhook endpoints of all organizations. Any number of workers, in any
 * number of processes, can share the work. Each attempt is made by only one of them. If a worker dies, its deliveries become due
 * again within a minute. Errors that no caller would see, such as storage errors, are passed to the service's `onError`, and the
 * worker continues as soon as it can.
 *
 * @example
 * import { createWebhookWorker } from "loyalty-kit/webhooks";
 *
 * createWebhookWorker(loyalty);
 * process.once("SIGTERM", () => loyalty.close());
 */
export function createWebhookWorker(
  loyalty: LoyaltyService,
  options: WebhookWorkerOptions = {},
): WebhookWorker {
  assertSameVersion(loyalty, "LoyaltyService");
  const { webhookQueue: queue, tracer, workers } = serviceInternals(loyalty);
  const client = new LazyClient(queue);
  const { timeoutMs = 15_000, send = client.send, after = systemTimer } = options;
  const shutdown = new WorkerShutdown();
  const worker = createEndpointWorker(
    queue,
    { clock: queue.clock, after, send, timeout: timeoutMs, shutdown, tracer },
    options,
  );
  const close = workers.add(async () => {
    await worker.close();
    await client.close();
  });
  return {
    async runOnce() {
      await worker.runOnce();
    },
    async close({ withinMs } = {}) {
      const cancelTimer = withinMs === undefined ? () => {} : after(withinMs, () => shutdown.start());
      await close();
      cancelTimer();
    },
  };
}

/** Creates a worker that attempts the deliveries for all endpoints. The worker starts immediately, unless `deliver` is `false`. */
export function createEndpointWorker(
  queue: DeliveryQueue,
  settings: AttemptSettings,
  { attempts = 100, attemptsPerEndpoint = 4, pollMs = 1_000, deliver = true }: WebhookWorkerOptions,
): JobRunner<EndpointToServe> {
  const slots = new Slots(attempts, attemptsPerEndpoint);
  const worker = new JobRunner<EndpointToServe>(
    {
      findWithWork: (limit) => slots.runStorageCall("", () => queue.endpointsWithDueWork(limit)),
      getKey: ({ organizationId, endpointId }) => JSON.stringify([organizationId, endpointId]),
      open(endpoint, run) {
        const endpointRun = new EndpointRun(queue, settings, slots, endpoint, run);
        return () => endpointRun.wake();
      },
      onWork: (listener) => queue.onWork(listener),
      onError: queue.onError,
    },
    { pollMs, minPauseMs: MIN_PAUSE_MS, after: settings.after },
  );
  if (deliver) worker.start();
  return worker;
}

/** Loads the HTTP client and its dependencies on the first request, because a custom `send` doesn't need them. */
class LazyClient {
  private client: Promise<WebhookClient> | null = null;

  constructor(private readonly queue: Pick<WebhookQueue, "clock" | "allowsLoopback">) {}

  readonly send: SendWebhook = async (request) => {
    this.client ??= this.load();
    return (await this.client).send(request);
  };

  async close(): Promise<void> {
    await (await this.client)?.close();
  }

  private async load(): Promise<WebhookClient> {
    const { clock, allowsLoopback } = this.queue;
    const { lookUpAddresses, WebhookClient } = await import("./webhook-client.js");
    return new WebhookClient(clock, {
      isAllowed: (address) => isPublicAddress(address) || (allowsLoopback && isLoopbackAddress(address)),
      resolveAddresses: lookUpAddresses,
    });
  }
}
