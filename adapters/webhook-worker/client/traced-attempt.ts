import type { Tracer } from "../../../src/tracing.js";
import type { AttemptResult, DeliveryJob } from "../../../src/webhooks/queue.js";
import { attempt, type Outside } from "./attempt.js";

/** Sends a delivery once, as a span of its own trace where there is a tracer, which the request names to the receiver. */
export async function tracedAttempt(
  job: DeliveryJob,
  outside: Outside,
  tracer: Tracer | null,
): Promise<AttemptResult> {
  if (tracer === null) return attempt(job, outside);
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
  const result = await span.run(() => attempt(job, outside, span.headers()));
  const { status } = result;
  if (status !== null) span.set({ "http.response.status_code": status });
  if (status === null) span.end({ type: "_OTHER", cause: null });
  else span.end(status < 400 ? null : { type: String(status), cause: null });
  return result;
}
