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

/** The least time between two looks for 100 endpoints, in milliseconds: under a stream of changes each would bring one. */
const MIN_PAUSE_MS = 20;

export interface WebhookWorkerOptions {
  /**
   * The most concurrent attempts. Default: 100. At most half of them at endpoints that fail or are slow, and a quarter at endpoints
   * that this worker has not tried yet.
   */
  readonly attempts?: number;
  /** The most concurrent attempts at one endpoint. Default: 4. */
  readonly attemptsPerEndpoint?: number;
  /**
   * The time between two looks for work of other processes and attempts that are due again, in milliseconds. Default: 1,000.
   */
  readonly pollMs?: number;
  /** False makes attempts in {@link WebhookWorker.runOnce} alone. Default: true. */
  readonly deliver?: boolean;
  /** The time limit of an attempt, in milliseconds. Default and maximum: 15,000. */
  readonly timeoutMs?: number;
  /** Sends the requests, for tests. It has to refuse addresses that are not public itself. */
  readonly send?: SendWebhook;
  /** Sets timers, for tests. The service's clock tells the time. */
  readonly after?: SetTimer;
}

/** Delivers webhooks from when it is made until it is closed. */
export interface WebhookWorker {
  /** Makes the attempts that are due, then resolves. For tests, and for hosts with their own scheduler. */
  runOnce(): Promise<void>;
  /** Begins no further attempt. Resolves when those under way have ended and are recorded: close the service then. */
  close(options?: WebhookWorkerEnd): Promise<void>;
}

/** The time that attempts have when a worker is closed. */
export interface WebhookWorkerEnd {
  /**
   * Cancels attempts without a response after this many milliseconds. They are not recorded, and any worker repeats them within a
   * minute. Default: each has its {@link WebhookWorkerOptions.timeoutMs}.
   */
  readonly withinMs?: number;
}

/**
 * Delivers the events of a service to the webhook endpoints of all organizations. Any number of workers in any number of
 * processes share the work: each attempt is made by one of them, and what a worker had claimed when it died is due again
 * within a minute. What fails beside any caller's path, such as the storage, goes to the service's `onError`; the worker
 * goes on when it can.
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

/** Makes attempts at all endpoints that have work, from now on, unless it delivers in steps alone. */
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

/** Loads the client, and the modules of Node and the package under it, for the first request: who sends otherwise has no need of them. */
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
