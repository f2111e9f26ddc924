import type { Clock } from "../../../src/values/clock.js";
import type { AttemptResult, DeliveryJob } from "../../../src/webhooks/queue.js";
import { signatureOf } from "../../../src/webhooks/signature.js";
import type { After } from "../timers.js";
import { keptOf } from "./answer-text.js";
import type { Send } from "./send.js";

/** What an attempt needs of the world. */
export interface Outside {
  readonly clock: Clock;
  readonly after: After;
  readonly send: Send;
  /** How long an attempt may take, from the look-up of the name to the end of the answer, in milliseconds. */
  readonly timeout: number;
}

/**
 * Sends a delivery once. Never rejects: what goes wrong is the result.
 * @param trace headers that name the trace of the attempt.
 */
export async function attempt(
  job: DeliveryJob,
  outside: Outside,
  trace: Readonly<Record<string, string>> = {},
): Promise<AttemptResult> {
  const { clock } = outside;
  const startedAt = clock();
  const outcome = await outcomeOf(job, startedAt, outside, trace);
  // The clock may be set back meanwhile.
  return { startedAt, duration: Math.max(0, clock() - startedAt), ...outcome };
}

async function outcomeOf(
  job: DeliveryJob,
  now: number,
  { after, send, timeout }: Outside,
  trace: Readonly<Record<string, string>>,
): Promise<Omit<AttemptResult, "startedAt" | "duration">> {
  const { url, body } = job;
  try {
    const headers = { ...trace, ...headersOf(job, now) };
    const answer = await within(timeout, after, (signal) => send({ url, headers, body, signal }));
    return { ...answer, error: null };
  } catch (error) {
    return { status: null, retryAfter: null, answer: null, error: keptOf(reasonOf(error)) };
  }
}

/** Rejects when the work takes longer, whether or not it minds the signal that tells it so. */
function within<T>(ms: number, after: After, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const callOff = after(ms, () => {
      const error = new Error(`no answer within ${ms / 1_000} seconds`);
      reject(error);
      controller.abort(error);
    });
    work(controller.signal).then(resolve, reject).finally(callOff);
  });
}

/** Those of Standard Webhooks: the id of the event, so that duplicates can be told, and a new time for each attempt. */
function headersOf({ eventId: id, body, secrets }: DeliveryJob, now: number): Record<string, string> {
  const timestamp = `${Math.floor(now / 1_000)}`;
  return {
    "content-type": "application/json",
    "user-agent": "loyalty-kit",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatureOf({ id, timestamp, body }, secrets),
  };
}

/** Where several addresses were tried in vain, only the errors inside say why. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
