import { runStep } from "../../../src/base/concurrency/step.js";
import { retryAfterMs } from "../../../src/base/values/http-date.js";
import { serviceInternals } from "../../../src/internals.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { StoredWebhookEndpoint } from "../../../src/storage/webhooks.js";
import { listValidSecrets } from "../../../src/webhooks/signature.js";
import { systemTimer } from "../../delivery/jobs/timers.js";
import {
  createWebhookWorker,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
  type WebhookResponse,
  type WebhookWorker,
} from "../../delivery/webhooks/index.js";

/** One recorded attempt to deliver an event to a webhook endpoint. */
export interface CapturedWebhook {
  /** The ID of the webhook endpoint that the attempt was for. */
  readonly endpointId: string;
  /** The endpoint's URL at the time of the attempt. */
  readonly url: string;
  /** The delivered event. Its signature has been verified with the endpoint's secret. */
  readonly event: WebhookEvent;
  /** The HTTP status of the receiver's response, or `null` if the receiver threw an error. */
  readonly status: number | null;
  /** The time of the attempt, according to the test clock. */
  readonly at: Date;
  /** The request headers, including the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request body exactly as it was signed and sent, containing the event as JSON. */
  readonly body: string;
}

/** A function that handles webhook requests, as the receiving app would. */
export type ReceiveWebhook = (request: Request) => Response | Promise<Response>;

const MAX_ENDPOINTS = 10_000;

/**
 * The worker's waits that are shorter than this, in milliseconds, are skipped. They only batch results, which isn't needed with a
 * stopped clock.
 */
const MIN_WAIT_MS = 50;

/** Delivers a service's webhooks to receivers in this process, and records every attempt. */
export class CapturedWebhooks {
  readonly all: CapturedWebhook[] = [];
  /** Receivers for specific URLs, keyed by URL. */
  readonly receivers = new Map<string, ReceiveWebhook>();
  private readonly worker: WebhookWorker;
  private endpoints: readonly StoredWebhookEndpoint[] = [];

  /** @param receive the function that handles requests to URLs without a receiver of their own. */
  constructor(
    private readonly loyalty: LoyaltyService,
    private readonly storage: StorageAdapter,
    private readonly receive: ReceiveWebhook,
    private readonly onError: ErrorListener,
  ) {
    this.worker = createWebhookWorker(loyalty, {
      deliver: false,
      send: (request) => this.send(request),
      after: (ms, work) => systemTimer(ms < MIN_WAIT_MS ? 0 : ms, work),
    });
  }

  async runOnce(): Promise<void> {
    const endpointRefs = await runStep(
      this.storage.all.endpointsWithDueWork(serviceInternals(this.loyalty).now(), MAX_ENDPOINTS, 0),
    );
    const endpoints: StoredWebhookEndpoint[] = [];
    for (const { organizationId, endpointId } of endpointRefs) {
      const endpoint = await runStep(this.storage.reader(organizationId).findWebhookEndpoint(endpointId));
      if (endpoint !== null) endpoints.push(endpoint);
    }
    this.endpoints = endpoints;
    await this.worker.runOnce();
  }

  close(): Promise<void> {
    return this.worker.close();
  }

  private async send({ url, headers, body, signal }: WebhookRequest): Promise<WebhookResponse> {
    const verified = this.verifyWebhook(url, headers, body);
    const at = new Date(serviceInternals(this.loyalty).now());
    const receive = this.receivers.get(url) ?? this.receive;
    const capture = (status: number | null) => this.all.push({ ...verified, url, status, at, headers, body });
    let response: Response;
    try {
      response = await receive(new Request(url, { method: "POST", headers, body, signal }));
    } catch (error) {
      capture(null);
      throw error;
    }
    const { status } = response;
    capture(status);
    const retryAfter = retryAfterMs(
      response.headers.get("retry-after"),
      serviceInternals(this.loyalty).now(),
    );
    return { status, retryAfter, answer: await response.text() };
  }

  /** Verifies a request and finds its endpoint. Several endpoints may share a URL, so the signature decides. */
  private verifyWebhook(url: string, headers: Readonly<Record<string, string>>, body: string) {
    const readClock = () => serviceInternals(this.loyalty).now();
    const failures: unknown[] = [];
    for (const endpoint of this.endpoints.filter((each) => each.url === url)) {
      try {
        const event = verifyWebhook(headers, body, listValidSecrets(endpoint, readClock()), {
          clock: readClock,
        });
        return { endpointId: endpoint.id, event };
      } catch (error) {
        failures.push(error);
      }
    }
    const error = new AggregateError(failures, `no endpoint at ${url} signed this webhook`);
    this.onError(error);
    throw error;
  }
}
