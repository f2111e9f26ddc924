import type { Organization, StorageAdapter } from "loyalty-kit";
import type { StoredAttempt, StoredDelivery, StoredEvent } from "loyalty-kit/storage";
import { runStep } from "../../../src/base/concurrency/step.js";
import type { Network, Request } from "./network.js";

/** An endpoint, and what was done to it. */
export interface Endpoint {
  readonly id: string;
  readonly organization: Organization;
  readonly host: string;
  readonly createdAt: number;
  /** Periods in which it was disabled on request. */
  readonly spells: { readonly from: number; readonly to: number }[];
  deletedAt: number | null;
}

export interface Outcome {
  readonly events: number;
  readonly requests: number;
  /** Number of requests with an event that the receiver had accepted before. */
  readonly repeated: number;
  /** Number of deliveries given up after all attempts. */
  readonly failed: number;
  readonly wrong: readonly string[];
}

interface Scene {
  readonly storage: StorageAdapter;
  readonly organizations: readonly Organization[];
  readonly endpoints: readonly Endpoint[];
  readonly network: Network;
  /** Time in milliseconds that a worker has to begin what it has claimed. */
  readonly startWithin: number;
  /**
   * Returns the minimum time in milliseconds from the n-th failed attempt to the next one; `null` if there is none.
   */
  readonly getLeastDelay: (failures: number) => number | null;
}

/** Checks what the receivers saw against the guarantees. */
export async function checkOutcome(scene: Scene): Promise<Outcome> {
  const { storage, organizations, endpoints, network } = scene;
  const wrong = new Set<string>();
  const events = new Map<string, StoredEvent[]>();
  for (const { id } of organizations)
    events.set(id, await runStep(storage.reader(id).listEvents(null, 0, 1_000_000)));

  const bodies = new Map<string, string>();
  for (const { id, body } of network.requests) {
    if (JSON.parse(body).id !== id) wrong.add(`${id} was sent with the body ${body}`);
    if ((bodies.get(id) ?? body) !== body) wrong.add(`${id} was sent with two bodies`);
    bodies.set(id, body);
  }

  let [repeated, failed] = [0, 0];
  for (const endpoint of endpoints) {
    const requests = network.requests.filter(({ host }) => host === endpoint.host);
    const deliveries = await listDeliveries(storage, endpoint);
    for (const text of [
      ...(await findUnsent(
        scene,
        endpoint,
        requests,
        deliveries,
        events.get(endpoint.organization.id) ?? [],
      )),
      ...(await findUnwanted(scene, endpoint, requests)),
      ...findOverlapping(requests),
      ...(await findHasty(scene, endpoint, deliveries)),
    ]) {
      wrong.add(`${endpoint.host}: ${text}`);
    }
    failed += deliveries.filter(({ status }) => status === "failed").length;
    repeated += countRepetitions(requests);
  }
  return {
    events: [...events.values()].flat().length,
    requests: network.requests.length,
    repeated,
    failed,
    wrong: [...wrong],
  };
}

export async function listDeliveries(
  storage: StorageAdapter,
  { organization, id }: Endpoint,
): Promise<StoredDelivery[]> {
  return runStep(storage.reader(organization.id).listDeliveries(id, { before: null, limit: 1_000_000 }));
}

/**
 * Finds events that didn't arrive. Every event since its creation must reach an endpoint that is enabled at the end,
 * unless all attempts failed or the event occurred while the endpoint was disabled.
 */
async function findUnsent(
  { storage, getLeastDelay: leastDelay }: Scene,
  { id, organization, createdAt, spells, deletedAt }: Endpoint,
  requests: readonly Request[],
  deliveries: readonly StoredDelivery[],
  events: readonly StoredEvent[],
): Promise<string[]> {
  const storedEndpoint = await runStep(storage.reader(organization.id).findWebhookEndpoint(id));
  if (deletedAt !== null || storedEndpoint === null || storedEndpoint.disabledAt !== null) return [];
  const accepted = new Set(requests.filter(isAccepted).map((request) => request.id));
  const statuses = new Map(
    deliveries.map(({ eventId, status, attempts }) => [eventId, { status, attempts }]),
  );
  return events
    .filter(
      (event) =>
        event.createdAt > createdAt &&
        !spells.some(({ from, to }) => from <= event.createdAt && event.createdAt <= to),
    )
    .filter((event) => !accepted.has(event.id))
    .map((event) => ({ event, delivery: statuses.get(event.id) }))
    .filter(({ delivery }) => delivery?.status !== "failed" || leastDelay(delivery.attempts) !== null)
    .map(({ event, delivery }) => `${event.id} never arrived, its delivery is ${JSON.stringify(delivery)}`);
}

/**
 * Finds requests with events from before the endpoint's creation, and requests while it was disabled or after it was
 * gone, except those that had already begun.
 */
async function findUnwanted(
  { storage, startWithin }: Scene,
  { id, organization, createdAt, spells, deletedAt }: Endpoint,
  requests: readonly Request[],
): Promise<string[]> {
  const storedEndpoint = await runStep(storage.reader(organization.id).findWebhookEndpoint(id));
  const ends = [deletedAt, storedEndpoint?.disabledAt ?? null].filter((time) => time !== null);
  const silences = [...spells, ...ends.map((from) => ({ from, to: Number.POSITIVE_INFINITY }))];
  const isDuringSilence = ({ at }: Request) =>
    silences.some(({ from, to }) => at > from + startWithin && at < to);
  return [
    ...requests
      .filter(isDuringSilence)
      .map((request) => `${request.id} came at ${request.at} to a disabled endpoint`),
    ...requests
      .filter(({ body }) => Date.parse(JSON.parse(body).timestamp) < createdAt)
      .map((request) => `${request.id} is older than the endpoint`),
  ];
}

/** Finds attempts at one delivery that overlap, although the sender of the first one didn't die. */
function findOverlapping(requests: readonly Request[]): string[] {
  const byId = new Map<string, Request[]>();
  for (const request of requests) byId.set(request.id, [...(byId.get(request.id) ?? []), request]);
  return [...byId].flatMap(([id, attempts]) =>
    attempts
      .slice(1)
      .filter((request, at) => {
        const before = attempts[at];
        return before !== undefined && before.endedAt !== null && before.endedAt > request.at;
      })
      .map((request) => `${id} was sent once more at ${request.at} while it was being sent`),
  );
}

/** Finds attempts that came sooner after a recorded failure than documented. */
async function findHasty(
  { storage, getLeastDelay: leastDelay }: Scene,
  { organization }: Endpoint,
  deliveries: readonly StoredDelivery[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (let at = 0; at < deliveries.length; at += 1_000) {
    const ids = deliveries.slice(at, at + 1_000).map(({ id }) => id);
    const attempts = await runStep(storage.reader(organization.id).attemptsOf(ids));
    for (const [index, attempt] of attempts.entries()) {
      const before = attempts[index - 1];
      if (before?.deliveryId !== attempt.deliveryId) continue;
      const gap = attempt.startedAt - (before.startedAt + before.duration);
      const least = leastDelay(before.number);
      if (isSuccess(before)) wrong.push(`${attempt.deliveryId} was tried after a success`);
      if (least === null || gap < least) {
        wrong.push(`${attempt.deliveryId} was tried ${gap} ms after its failure number ${before.number}`);
      }
    }
  }
  return wrong;
}

function countRepetitions(requests: readonly Request[]): number {
  const accepted = requests.filter(isAccepted);
  return accepted.length - new Set(accepted.map(({ id }) => id)).size;
}

function isAccepted({ status }: Request): boolean {
  return status !== null && status >= 200 && status < 300;
}

function isSuccess({ status }: StoredAttempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
