import { runStep, type Step } from "../base/concurrency/step.js";
import { type Clock, nextUpdatedAt } from "../base/values/clock.js";
import { createClaim, type Engine } from "../kernel/engine.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import type { Outbox } from "../kernel/events/outbox.js";
import type { RandomSource } from "../kernel/retries.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import {
  type AttemptOutcome,
  type EndpointRef,
  type EndpointToServe,
  type StoredAttempt,
  type StoredDelivery,
  type StoredWebhookEndpoint,
  webhookEndpointRecord,
} from "../storage/webhooks.js";
import { type AttemptSummary, evaluateHealth, isSuccess, scheduleNextAttempt } from "./delivery-schedule.js";
import { type Backlog, FanOut, formatEventBody } from "./fan-out.js";
import type { WebhookSettings } from "./options.js";
import { toWebhookEndpoint } from "./schema.js";
import { listValidSecrets } from "./signature.js";

/** Interval between two reads of all endpoints, including endpoints of organizations without recent events, in milliseconds. */
const FULL_READ_INTERVAL_MS = 60_000;

/**
 * Maximum age of an organization's newest event for the reads in between, in milliseconds. It allows for clock skew and slow
 * commits.
 */
const MAX_EVENT_AGE_MS = 5 * 60_000;

/** An endpoint's deliveries that a worker has claimed. */
export interface ClaimedDeliveries {
  /** The claimed jobs, sorted by due time. */
  readonly jobs: readonly DeliveryJob[];
  /** Whether there might be more events to turn into deliveries. */
  readonly hasMore: boolean;
}

const noDeliveries: ClaimedDeliveries = { jobs: [], hasMore: false };

/**
 * The queue from which delivery workers claim jobs. Any number of workers can share it, but only one at a time can hold a claim on
 * a delivery. If that worker doesn't record a result within a minute, the delivery is due again.
 */
export class WebhookQueue {
  readonly clock: Clock;
  /** Whether endpoints can use loopback addresses, such as `localhost`. */
  readonly allowsLoopback: boolean;
  private readonly fanOut: FanOut;
  /** The time of the last read of all endpoints, including endpoints of organizations without recent events. */
  private lastFullReadAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly engine: Pick<Engine, "storage" | "clock" | "uuid" | "config" | "secrets" | "changes">,
    private readonly outbox: Outbox,
    private readonly settings: WebhookSettings,
    /** Receives errors that no caller is waiting for. */
    readonly onError: ErrorListener,
  ) {
    this.clock = engine.clock;
    this.allowsLoopback = settings.allowLoopback;
    this.fanOut = new FanOut(engine);
  }

  /** Returns up to `limit` endpoints across all organizations that might have work to do, longest-waiting first. */
  endpointsWithDueWork(limit: number): Promise<EndpointToServe[]> {
    const now = this.clock();
    const isFullRead = now - this.lastFullReadAt >= FULL_READ_INTERVAL_MS;
    if (isFullRead) this.lastFullReadAt = now;
    return runStep(
      this.engine.storage.all.endpointsWithDueWork(now, limit, isFullRead ? 0 : now - MAX_EVENT_AGE_MS),
    );
  }

  /**
   * Turns new events into deliveries, up to the limits for pending deliveries, and claims due deliveries for 60 seconds. If the
   * endpoint is disabled, creates deliveries only for events from before it was disabled, and claims none. If another transaction,
   * such as another worker's or a host's, holds the endpoint's lock, does nothing, and the endpoint stays due. Opens no transaction
   * if there is nothing to do.
   * @param limit the maximum number of deliveries to claim. 0 only creates deliveries.
   */
  async claimNext(endpointRef: EndpointRef, limit: number): Promise<ClaimedDeliveries> {
    const backlog = await this.fanOut.findBacklog(endpointRef);
    if (backlog === null) return noDeliveries;
    const { endpoint, dueAt, needsWrite, hasMore } = backlog;
    const isDue = limit > 0 && endpoint.disabledAt === null && dueAt <= this.clock();
    if (!needsWrite && !isDue) return { jobs: [], hasMore };
    return this.engine.changes.runOutOfTurn(endpointRef.organizationId, (tx) =>
      this.lockAndClaim(tx, endpointRef, backlog, limit),
    );
  }

  private *lockAndClaim(
    tx: StorageTransaction,
    endpointRef: EndpointRef,
    backlog: Backlog,
    limit: number,
  ): Step<ClaimedDeliveries> {
    const { needsWrite, hasMore } = backlog;
    const locked = yield* tx.lockWebhookEndpoint(endpointRef.endpointId, false);
    if (locked === null) return noDeliveries;
    const mayHaveMore = needsWrite
      ? yield* this.fanOut.createDeliveries(tx, endpointRef, locked, backlog)
      : hasMore;
    const jobs =
      limit > 0 && locked.disabledAt === null ? yield* this.claim(tx, endpointRef, locked, limit) : [];
    return { jobs, hasMore: mayHaveMore };
  }

  /**
   * Records the results of attempts and updates the deliveries and the endpoint accordingly. Skips attempts whose deliveries have
   * been claimed again, because another worker might have repeated them.
   * @returns `false` if nothing was recorded because another transaction holds the endpoint's lock, or `true` otherwise.
   */
  async recordResults(
    { organizationId, endpointId }: EndpointRef,
    attempts: readonly FinishedAttempt[],
  ): Promise<boolean> {
    const { storage, clock, changes } = this.engine;
    const { random } = this.settings;
    const result = await changes.runOutOfTurn(organizationId, function* (tx) {
      const endpoint = yield* tx.lockWebhookEndpoint(endpointId, false);
      if (endpoint === null) return null;
      return { disabled: yield* recordAttempts(tx, endpoint, attempts, { now: clock(), random }) };
    });
    // A deleted endpoint has nothing to record.
    if (result === null)
      return (await runStep(storage.reader(organizationId).findWebhookEndpoint(endpointId))) === null;
    if (result.disabled !== null) this.notifyDisabled(organizationId, result.disabled);
    return true;
  }

  /**
   * Registers a listener that is called with an organization's ID after a commit in this process adds events to the outbox or
   * creates deliveries for a replay or a test. Replays and tests inside host transactions aren't reported.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.outbox.onWork(listener);
  }

  private *claim(
    tx: StorageTransaction,
    { organizationId, endpointId }: EndpointRef,
    endpoint: StoredWebhookEndpoint,
    limit: number,
  ): Step<DeliveryJob[]> {
    const claim = createClaim(this.engine, limit);
    const { lease, now } = claim;
    const deliveries = yield* tx.claimDeliveries(endpointId, claim);
    const bodies = yield* readBodies(tx, deliveries);
    const openedEndpoint = this.engine.secrets.open(webhookEndpointRecord, organizationId, endpoint);
    const secrets = listValidSecrets(openedEndpoint, now);
    const jobs: DeliveryJob[] = [];
    const lostOutcomes: AttemptOutcome[] = [];
    const { url } = endpoint;
    for (const delivery of deliveries) {
      const { id: deliveryId, eventId, attempts } = delivery;
      const body = delivery.customBody ?? bodies.get(eventId);
      const attempt = attempts + 1;
      if (body === undefined) lostOutcomes.push(buildLostEventOutcome(delivery, now));
      else jobs.push({ organizationId, endpointId, lease, deliveryId, eventId, attempt, url, body, secrets });
    }
    if (lostOutcomes.length > 0) yield* tx.recordAttempts(endpointId, lease, lostOutcomes, now);
    return jobs;
  }

  private notifyDisabled(organizationId: string, endpoint: StoredWebhookEndpoint): void {
    const notify = async () => this.settings.onDisabled(toWebhookEndpoint(endpoint), { organizationId });
    notify().catch(this.onError);
  }
}

/**
 * Reads the events that the claimed deliveries refer to.
 * @returns their bodies, keyed by event ID.
 */
function* readBodies(
  reader: StorageReader,
  deliveries: readonly StoredDelivery[],
): Step<ReadonlyMap<string, string>> {
  const positions = new Set<number>();
  for (const { customBody, eventPosition } of deliveries) {
    if (customBody === null && eventPosition !== null) positions.add(eventPosition);
  }
  if (positions.size === 0) return new Map();
  const events = yield* reader.eventsAt([...positions]);
  return new Map(events.map((event) => [event.id, formatEventBody(event)]));
}

/** Fails a delivery whose event was removed by retention while the delivery was being created. */
function buildLostEventOutcome({ id: deliveryId, attempts }: StoredDelivery, now: number): AttemptOutcome {
  const error = "the event is no longer in the outbox";
  const attempt = { deliveryId, number: attempts + 1, startedAt: now, duration: 0, status: null };
  return { attempt: { ...attempt, response: null, error }, status: "failed", nextAttemptAt: null };
}

/** A claimed delivery that a worker must attempt. */
export interface DeliveryJob {
  readonly organizationId: string;
  readonly endpointId: string;
  /** The ID of the claim that includes this job. */
  readonly lease: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** The attempt's number within the delivery, starting at 1. */
  readonly attempt: number;
  readonly url: string;
  /** The request body, to be sent byte for byte. */
  readonly body: string;
  /** The secrets for signing the request, newest first. */
  readonly secrets: readonly string[];
}

export interface AttemptResult extends Omit<StoredAttempt, "deliveryId" | "number"> {
  /** The delay requested by the response's `Retry-After` header, in milliseconds, or `null` if there is no such header. */
  readonly retryAfter: number | null;
}

export interface FinishedAttempt {
  readonly job: DeliveryJob;
  readonly result: AttemptResult;
}

/**
 * Records attempts for a locked endpoint, and updates its deliveries and health. Ignores attempts whose deliveries have since been
 * claimed again. If the endpoint's URL has changed since an attempt, the attempt doesn't affect the endpoint's health, and a 410 is
 * retried like any other failure.
 * @returns the endpoint if these attempts caused it to be disabled, or `null` otherwise.
 */
function* recordAttempts(
  tx: StorageTransaction,
  endpoint: StoredWebhookEndpoint,
  finishedAttempts: readonly FinishedAttempt[],
  { now, random }: { readonly now: number; readonly random: RandomSource },
): Step<StoredWebhookEndpoint | null> {
  const currentAttempts: FinishedAttempt[] = [];
  for (const lease of new Set(finishedAttempts.map(({ job }) => job.lease))) {
    const leaseAttempts = finishedAttempts.filter(({ job }) => job.lease === lease);
    const outcomes = leaseAttempts.map((each) => buildOutcome(each, endpoint.url, random));
    const recordedIds = yield* tx.recordAttempts(endpoint.id, lease, outcomes, now);
    currentAttempts.push(
      ...leaseAttempts.filter(({ job }) => recordedIds.includes(job.deliveryId) && job.url === endpoint.url),
    );
  }
  if (endpoint.disabledAt !== null) return null;
  const attempts = currentAttempts.map(toAttemptSummary).sort((a, b) => a.endedAt - b.endedAt);
  const { failingSince, slowSince, disabledReason } = evaluateHealth(endpoint, attempts);
  if (disabledReason !== null) {
    const updatedAt = nextUpdatedAt(endpoint.updatedAt, now);
    const lastPosition = yield* tx.newestEventPosition();
    const health = { failingSince, slowSince, disabledReason, disabledAt: now, lastPosition };
    const disabledEndpoint = { ...endpoint, ...health, updatedAt };
    yield* tx.updateWebhookEndpoint(disabledEndpoint);
    return disabledEndpoint;
  }
  if (failingSince !== endpoint.failingSince || slowSince !== endpoint.slowSince) {
    yield* tx.updateWebhookEndpoint({ ...endpoint, failingSince, slowSince });
  }
  return null;
}

/**
 * Builds an attempt's outcome.
 * @param url the endpoint's current URL. A failure at any other URL is always retried like an ordinary failure.
 */
function buildOutcome(finishedAttempt: FinishedAttempt, url: string, random: RandomSource): AttemptOutcome {
  const { deliveryId, attempt: number } = finishedAttempt.job;
  const { startedAt, duration, status, response, error } = finishedAttempt.result;
  const summary = toAttemptSummary(finishedAttempt);
  const isStatusRelevant = finishedAttempt.job.url === url || isSuccess(summary);
  return {
    attempt: { deliveryId, number, startedAt, duration, status, response, error },
    ...scheduleNextAttempt(isStatusRelevant ? summary : { ...summary, status: null }, random),
  };
}

function toAttemptSummary({
  job,
  result: { startedAt, duration, status, retryAfter },
}: FinishedAttempt): AttemptSummary {
  return { number: job.attempt, endedAt: startedAt + duration, duration, status, retryAfter };
}
