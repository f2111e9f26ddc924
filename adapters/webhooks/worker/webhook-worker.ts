import { refuseOtherVersion } from "../../../src/copies.js";
import { serviceInternals } from "../../../src/internals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { EndpointToServe } from "../../../src/storage/webhooks.js";
import { isLoopbackAddress, isPublicAddress } from "../../../src/values/public-address.js";
import type { WebhookQueue } from "../../../src/webhooks/queue.js";
import { type SetTimer, systemTimer } from "../../jobs/timers.js";
import { Worker } from "../../jobs/worker.js";
import type { AttemptSettings, SendWebhook } from "./client/attempt.js";
import type { WebhookClient } from "./client/webhook-client.js";
import { WorkerShutdown } from "./client/worker-shutdown.js";
import { type DeliveryQueue, EndpointRun, Slots } from "./endpoint-run.js";

/** Minimum pause between polls for 100 endpoints, in milliseconds. Otherwise each change in a busy stream would cause a poll. */
const MIN_PAUSE_MS = 20;

export interface WebhookWorkerOptions {
  /**
   * Maximum number of concurrent attempts. Default: 100. At most half of them go to endpoints that fail or are slow, and at most a
   * quarter to endpoints that this worker hasn't tried yet.
   */
  readonly attempts?: number;
  /** Maximum number of concurrent attempts per endpoint. Default: 4. */
  readonly attemptsPerEndpoint?: number;
  /** How often to poll for other processes' work and for attempts that are due again, in milliseconds. Default: 1,000. */
  readonly pollMs?: number;
  /** `false` makes attempts only in {@link WebhookWorker.runOnce}. Default: `true`. */
  readonly deliver?: boolean;
  /** Maximum time of an attempt, in milliseconds. Default and maximum: 15,000. */
  readonly timeoutMs?: number;
  /** Sends the requests, for tests. It must itself refuse addresses that are not public. */
  readonly send?: SendWebhook;
  /** Starts timers, for tests. The time comes from the service's clock. */
  readonly after?: SetTimer;
}

/** Delivers webhooks from its creation until it is closed. */
export interface WebhookWorker {
  /** Makes the attempts that are due, then resolves. For tests, and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /** Starts no further attempt. Resolves when running attempts have ended and are recorded; the service can be closed then. */
  close(options?: WebhookWorkerEnd): Promise<void>;
}

/** How long attempts may continue when a worker is closed. */
export interface WebhookWorkerEnd {
  /**
   * Cancels attempts without a response after this many milliseconds. They are not recorded, and any worker repeats them within a
   * minute. Default: each attempt has its {@link WebhookWorkerOptions.timeoutMs}.
   */
  readonly withinMs?: number;
}

/**
 * Delivers a service's events to the webhook endpoints of all organizations. Any number of workers in any number of processes share
 * the work: each attempt is made by one of them, and if a worker dies, its claims are due again within a minute. Failures outside
 * any caller's call, such as storage errors, go to the service's `onError`; the worker continues as soon as it can.
 *
 * @example
 * import { createWebhookWorker } from "loyalty-kit/webhooks";
 *
 * const worker = createWebhookWorker(loyalty);
 * process.once("SIGTERM", () => worker.close().then(() => loyalty.close()));
 */
export function createWebhookWorker(
  loyalty: LoyaltyService,
  options: WebhookWorkerOptions = {},
): WebhookWorker {
  refuseOtherVersion(loyalty, "LoyaltyService");
  const { webhookQueue: queue, tracer } = serviceInternals(loyalty);
  const client = new ClientOnDemand(queue);
  const { timeoutMs = 15_000, send = client.send, after = systemTimer } = options;
  const ending = new WorkerShutdown();
  const worker = createEndpointWorker(
    queue,
    { clock: queue.clock, after, send, timeout: timeoutMs, ending, tracer },
    options,
  );
  return {
    async runOnce() {
      await worker.runOnce();
    },
    async close({ withinMs } = {}) {
      const keep = withinMs === undefined ? () => {} : after(withinMs, () => ending.start());
      await worker.close();
      keep();
      await client.close();
    },
  };
}

/** Creates a worker that attempts the deliveries of all endpoints. It starts immediately, unless `deliver` is false. */
export function createEndpointWorker(
  queue: DeliveryQueue,
  settings: AttemptSettings,
  { attempts = 100, attemptsPerEndpoint = 4, pollMs = 1_000, deliver = true }: WebhookWorkerOptions,
): Worker<EndpointToServe> {
  const slots = new Slots(attempts, attemptsPerEndpoint);
  const worker = new Worker<EndpointToServe>(
    {
      findWithWork: (limit) => slots.forStorage("", () => queue.endpointsWithDueWork(limit)),
      keyOf: ({ organizationId, endpointId }) => JSON.stringify([organizationId, endpointId]),
      open: (...place) => new EndpointRun(queue, settings, slots, ...place),
      onWork: (listener) => queue.onWork(listener),
      onError: queue.onError,
    },
    { pollMs, minPauseMs: MIN_PAUSE_MS, after: settings.after },
  );
  if (deliver) worker.start();
  return worker;
}

/** Loads the HTTP client and its dependencies on the first request, because a custom `send` doesn't need them. */
class ClientOnDemand {
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
    const [{ WebhookClient }, { lookUpAddresses }] = await Promise.all([
      import("./client/webhook-client.js"),
      import("./client/dns-lookup.js"),
    ]);
    return new WebhookClient(clock, {
      isAllowed: (address) => isPublicAddress(address) || (allowsLoopback && isLoopbackAddress(address)),
      addressesOf: lookUpAddresses,
    });
  }
}
