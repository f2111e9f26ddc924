import type { Tracer } from "../../../../src/base/tracing.js";
import type { Clock } from "../../../../src/base/values/clock.js";
import type { AttemptResult, DeliveryJob } from "../../../../src/webhooks/queue.js";
import { signWebhook } from "../../../../src/webhooks/signature.js";
import type { SetTimer } from "../../jobs/timers.js";

/** Maximum number of characters to store from a response or an error message. */
export const MAX_STORED_CHARACTERS = 1_024;

/** The POST request that delivers an event. */
export interface WebhookRequest {
  /** The URL of the webhook endpoint, which receives the event as a POST request. */
  readonly url: string;
  /** The headers, including the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The event as JSON, exactly as it was signed. */
  readonly body: string;
  /** Aborts when the attempt times out or is canceled. */
  readonly signal: AbortSignal;
}

/** An endpoint's response to a delivery. */
export interface WebhookResponse {
  /** The HTTP status of the response. Can be a 3xx status, because redirects aren't followed. */
  readonly status: number;
  /** How long the endpoint asked to wait before the next request, in milliseconds, or `null` if it didn't ask. */
  readonly retryAfter: number | null;
  /** The beginning of the response body, truncated to {@link MAX_STORED_CHARACTERS} characters. */
  readonly answer: string;
}

/** Sends a request and resolves to the response. Rejects if the response doesn't arrive or is incomplete. */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookResponse>;

export interface AttemptSettings {
  readonly clock: Clock;
  readonly after: SetTimer;
  readonly send: SendWebhook;
  /** Maximum duration of an attempt, from the DNS lookup to the end of the response, in milliseconds. */
  readonly timeout: number;
  /** Cancels in-flight attempts when the worker shuts down. If omitted, attempts are never canceled. */
  readonly shutdown?: WorkerShutdown;
  /** Starts a span for each attempt and sends its trace context to the endpoint. `null` disables tracing. */
  readonly tracer: Tracer | null;
}

/** Sends a delivery to its endpoint. A failed attempt resolves to a result instead of rejecting. */
export async function attemptDelivery(job: DeliveryJob, settings: AttemptSettings): Promise<AttemptResult> {
  const { tracer } = settings;
  if (tracer === null) return attemptWithoutSpan(job, settings, {});
  const span = tracer.begin({
    name: "POST",
    kind: "client",
    attributes: {
      "http.request.method": "POST",
      // The rest of the URL may be a secret between the host and the receiver.
      "server.address": new URL(job.url).hostname,
      ...(job.attempt > 1 && { "http.request.resend_count": job.attempt - 1 }),
      "loyalty.organization.id": job.organizationId,
      "loyalty.webhook_endpoint.id": job.endpointId,
      "loyalty.event.id": job.eventId,
    },
    isRoot: true,
  });
  const result = await span.run(() => attemptWithoutSpan(job, settings, span.headers()));
  const { status } = result;
  if (status !== null) span.set({ "http.response.status_code": status });
  if (status === null) span.end({ type: "_OTHER", cause: null });
  else span.end(status < 400 ? null : { type: String(status), cause: null });
  return result;
}

/**
 * Attempts a delivery without starting a span.
 * @param trace headers with the attempt's trace context.
 */
async function attemptWithoutSpan(
  job: DeliveryJob,
  { clock, send, ...deadline }: AttemptSettings,
  trace: Readonly<Record<string, string>>,
): Promise<AttemptResult> {
  const startedAt = clock();
  const { url, body } = job;
  // A secret that can't sign makes the attempt fail, like a refused connection.
  const sendRequest = async () => {
    const headers = { ...trace, ...buildHeaders(job, startedAt) };
    return withDeadline(deadline, (signal) => send({ url, headers, body, signal }));
  };
  const result = await sendRequest().then(
    ({ status, retryAfter, answer }) => ({ status, retryAfter, response: answer, error: null }),
    (error: unknown) => ({
      status: null,
      retryAfter: null,
      response: null,
      error: toStorableText(describeReason(error)),
    }),
  );
  // The clock may have been set back during the attempt.
  return { startedAt, duration: Math.max(0, clock() - startedAt), ...result };
}

/** Rejects if the work takes too long or is canceled, even if the work ignores its signal. */
function withDeadline<T>(
  { timeout, after, shutdown }: Pick<AttemptSettings, "timeout" | "after" | "shutdown">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = (reason: string) => {
      const error = new Error(reason);
      reject(error);
      controller.abort(error);
    };
    const cancelTimer = after(timeout, () => end(`no response within ${timeout / 1_000} seconds`));
    const unsubscribe = shutdown?.onStart(() => end("the worker has stopped"));
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        cancelTimer();
        unsubscribe?.();
      });
  });
}

/**
 * Builds the Standard Webhooks headers: the event's ID, which lets receivers recognize duplicates, and a new timestamp for each
 * attempt.
 */
function buildHeaders({ eventId: id, body, secrets }: DeliveryJob, now: number): Record<string, string> {
  const timestamp = `${Math.floor(now / 1_000)}`;
  return {
    "content-type": "application/json",
    "user-agent": "loyalty-kit",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signWebhook({ id, timestamp, body }, secrets),
  };
}

/** Returns an error's message. If several addresses were tried, only the inner errors say why they failed. */
function describeReason(error: unknown): string {
  if (error instanceof AggregateError) return describeReason(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Truncates text to at most {@link MAX_STORED_CHARACTERS} characters and replaces characters that can't be stored. */
export function toStorableText(text: string): string {
  return text.slice(0, MAX_STORED_CHARACTERS).replaceAll("\0", "\ufffd").toWellFormed();
}

/** A worker's shutdown signal. In-flight attempts subscribe to it so that they can be canceled. */
export class WorkerShutdown {
  #hasStarted = false;
  readonly #listeners = new Set<() => void>();

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  start(): void {
    this.#hasStarted = true;
    for (const listener of this.#listeners) listener();
  }

  /**
   * Calls `listener` when the shutdown starts, or immediately if it has already started.
   * @returns a function that unsubscribes `listener`.
   */
  onStart(listener: () => void): () => void {
    if (this.#hasStarted) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
