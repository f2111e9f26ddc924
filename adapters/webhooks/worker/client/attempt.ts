import type { Tracer } from "../../../../src/tracing.js";
import type { Clock } from "../../../../src/values/clock.js";
import type { AttemptResult, DeliveryJob } from "../../../../src/webhooks/queue.js";
import { signWebhook } from "../../../../src/webhooks/signature.js";
import type { SetTimer } from "../../../jobs/timers.js";
import type { WorkerShutdown } from "./worker-shutdown.js";

/** The characters of an answer, or of an error, that are kept. */
export const MAX_STORED_CHARACTERS = 1_024;

/** An HTTP request with the method POST. */
export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborted when the time for a response is over. */
  readonly signal: AbortSignal;
}

/** The answer of a receiver. */
export interface WebhookResponse {
  readonly status: number;
  /** The requested delay before the next request, in milliseconds; `null` if none was requested. */
  readonly retryAfter: number | null;
  /** The first characters of its body. */
  readonly answer: string;
}

/** Sends a request. Rejects when there was no whole answer. */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookResponse>;

export interface AttemptSettings {
  readonly clock: Clock;
  readonly after: SetTimer;
  readonly send: SendWebhook;
  /** The longest time of an attempt, from the look-up of the name to the end of the answer, in milliseconds. */
  readonly timeout: number;
  /** Calls off the attempts under way. Default: never. */
  readonly ending?: WorkerShutdown;
  /** Begins a span for each attempt, whose trace the request names to the receiver; `null` begins none. */
  readonly tracer: Tracer | null;
}

/** Sends a delivery once. Never rejects: a failure is the result. */
export async function attemptDelivery(job: DeliveryJob, settings: AttemptSettings): Promise<AttemptResult> {
  const { tracer } = settings;
  if (tracer === null) return withoutTrace(job, settings, {});
  const span = tracer.begin({
    name: "POST",
    kind: "client",
    attributes: {
      "http.request.method": "POST",
      // The rest of the URL may be a secret of the receiver.
      "server.address": new URL(job.url).hostname,
      ...(job.attempt > 1 && { "http.request.resend_count": job.attempt - 1 }),
      "loyalty.organization.id": job.organizationId,
      "loyalty.webhook_endpoint.id": job.endpointId,
      "loyalty.event.id": job.eventId,
    },
    isRoot: true,
  });
  const result = await span.run(() => withoutTrace(job, settings, span.headers()));
  const { status } = result;
  if (status !== null) span.set({ "http.response.status_code": status });
  if (status === null) span.end({ type: "_OTHER", cause: null });
  else span.end(status < 400 ? null : { type: String(status), cause: null });
  return result;
}

/** @param trace headers that name the trace of the attempt. */
async function withoutTrace(
  job: DeliveryJob,
  { clock, send, ...times }: AttemptSettings,
  trace: Readonly<Record<string, string>>,
): Promise<AttemptResult> {
  const startedAt = clock();
  const { url, body } = job;
  // A secret that cannot sign fails the attempt, as a refused connection does.
  const sent = async () => {
    const headers = { ...trace, ...buildHeaders(job, startedAt) };
    return withDeadline(times, (signal) => send({ url, headers, body, signal }));
  };
  const answered = await sent().then(
    ({ status, retryAfter, answer }) => ({ status, retryAfter, response: answer, error: null }),
    (error: unknown) => ({
      status: null,
      retryAfter: null,
      response: null,
      error: toStorableText(describeReason(error)),
    }),
  );
  // The clock may be set back in the meantime.
  return { startedAt, duration: Math.max(0, clock() - startedAt), ...answered };
}

/** Rejects when the work takes longer, or is called off, whether or not it minds the signal that tells it so. */
function withDeadline<T>(
  { timeout, after, ending }: Pick<AttemptSettings, "timeout" | "after" | "ending">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const end = (reason: string) => {
      const error = new Error(reason);
      reject(error);
      controller.abort(error);
    };
    const callOff = after(timeout, () => end(`no answer within ${timeout / 1_000} seconds`));
    const unfollow = ending?.onStart(() => end("the worker has ended"));
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        callOff();
        unfollow?.();
      });
  });
}

/**
 * Builds the headers of Standard Webhooks: the id of the event, by which receivers recognize duplicates, and a new time for each
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

/** Where several addresses were tried in vain, only the errors inside say why. */
function describeReason(error: unknown): string {
  if (error instanceof AggregateError) return describeReason(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Shortens a text, and replaces the characters that no storage keeps. */
export function toStorableText(text: string): string {
  return text.slice(0, MAX_STORED_CHARACTERS).replaceAll("\0", "\ufffd").toWellFormed();
}
