import type { Step } from "../concurrency/step.js";
import type { Claim } from "./jobs.js";
import { integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
/** A URL that events are sent to. */
export const webhookEndpointRecord = record("webhookEndpoints", ["id"], {
  id: text(),
  url: text(),
  description: text().nullable(),
  /** The event types that it receives; `null` for every type. */
  types: list().nullable(),
  /** The key that signs requests. Sealed if the service has a secret key, or else stored in plain text. */
  secret: text().sealed(),
  /** The secret from before the last rotation, which also signs until it expires. */
  previousSecret: text().nullable().sealed(),
  previousSecretExpiresAt: time().nullable(),
  /** This and `disabledAt` are `null` while the endpoint is enabled. */
  disabledReason: oneOf("requested", "gone", "failing").nullable(),
  disabledAt: time().nullable(),
  /** The time of the first failure since the last success; `null` if the last attempt succeeded. */
  failingSince: time().nullable(),
  /** The time of the first late response since the last timely one; `null` if the last response was timely. */
  slowSince: time().nullable(),
  /** Events up to this outbox position have become deliveries, if the endpoint receives them. */
  position: integer(),
  /** While the endpoint is disabled, the last position whose event still becomes a delivery; `null` while it is enabled. */
  lastPosition: integer().nullable(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

/** Why an endpoint is disabled: its owner disabled it, it responded with 410, or it failed for days. */
export type DisabledReason = NonNullable<StoredWebhookEndpoint["disabledReason"]>;
export type StoredWebhookEndpoint = RowOf<typeof webhookEndpointRecord>;

/** The delivery of one event to one endpoint. */
export const webhookDeliveryRecord = record("webhookDeliveries", ["id"], {
  id: text(),
  endpointId: text().refersTo("webhookEndpoints", "id"),
  eventId: text(),
  /** The event's position in the outbox; `null` for an event that was never in the outbox. */
  eventPosition: integer().nullable(),
  eventType: text(),
  /** The exact body to send for an event that was never in the outbox; `null` if the body is built from the outbox event. */
  customBody: text().nullable().personal(),
  status: oneOf("pending", "delivered", "failed"),
  /** The number of recorded attempts. */
  attempts: integer(),
  /** The time when it is due; `null` unless it is pending. While a worker holds a claim on it, the time when the claim expires. */
  nextAttemptAt: time().nullable(),
  createdAt: time(),
  updatedAt: time(),
});

export type DeliveryStatus = StoredDelivery["status"];
export type StoredDelivery = RowOf<typeof webhookDeliveryRecord>;

/** A new delivery: pending, without attempts. */
export type NewDelivery = Omit<StoredDelivery, "status" | "attempts" | "updatedAt" | "nextAttemptAt"> & {
  readonly nextAttemptAt: number;
};

/** A summary of an endpoint's pending deliveries. */
export interface PendingDeliveries {
  /** The number of pending deliveries; at least one. */
  readonly count: number;
  /** The time when the first of the deliveries is due. */
  readonly dueAt: number;
}

/** The record of one delivery attempt. */
export const webhookAttemptRecord = record("webhookAttempts", ["deliveryId", "number"], {
  deliveryId: text().refersTo("webhookDeliveries", "id"),
  /** The attempt's number within its delivery: 1, 2, 3, … */
  number: integer(),
  startedAt: time(),
  /** In milliseconds, from start to end of the attempt. */
  duration: integer(),
  /** The response's HTTP status; `null` if there was no response. */
  status: integer().nullable(),
  /** The beginning of the response body. */
  response: text().nullable().personal(),
  /** A description of why there was no response; `null` if there was one. */
  error: text().nullable(),
});

export type StoredAttempt = RowOf<typeof webhookAttemptRecord>;

/** The change to a delivery that results from an attempt. */
export interface AttemptOutcome {
  readonly attempt: StoredAttempt;
  readonly status: DeliveryStatus;
  /** The time of the next attempt; `null` unless the delivery stays pending. */
  readonly nextAttemptAt: number | null;
}

export interface DeliveryQuery {
  /** Only deliveries older than this one, in list order; `null` to start with the newest. */
  readonly before: { readonly createdAt: number; readonly id: string } | null;
  /** Only deliveries with this status. Default: any. */
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
}

/** Identifies an endpoint of any organization. */
export interface EndpointRef {
  readonly organizationId: string;
  readonly endpointId: string;
}

/** An endpoint with its organization. */
export interface OwnedWebhookEndpoint {
  readonly organizationId: string;
  readonly endpoint: StoredWebhookEndpoint;
}

/** An endpoint that a worker has work for. */
export interface EndpointToServe extends EndpointRef {
  /** True if its last attempt failed, or the response was late. */
  readonly isTroubled: boolean;
}

export interface WebhookReads {
  /** Lists endpoints, oldest first: by `createdAt`, then id. */
  listWebhookEndpoints(organizationId: string): Step<StoredWebhookEndpoint[]>;
  findWebhookEndpoint(organizationId: string, id: string): Step<StoredWebhookEndpoint | null>;
  /** Lists an endpoint's deliveries, newest first: by `createdAt`, then id, both descending. */
  listDeliveries(organizationId: string, endpointId: string, query: DeliveryQuery): Step<StoredDelivery[]>;
  findDelivery(organizationId: string, id: string): Step<StoredDelivery | null>;
  /**
   * Returns the recorded attempts of these deliveries (at most 1,000), grouped by delivery in no particular order, then by
   * `number`.
   */
  attemptsOf(organizationId: string, deliveryIds: readonly string[]): Step<StoredAttempt[]>;
  /**
   * Returns a summary of the pending deliveries for each of the organization's endpoints, keyed by endpoint id. Endpoints without
   * pending deliveries are missing.
   */
  pendingDeliveries(organizationId: string): Step<ReadonlyMap<string, PendingDeliveries>>;
  /**
   * Returns the enabled endpoints of all organizations that have a delivery due at `now`, or a position below the newest event that
   * they receive. At most `limit`, longest-waiting first.
   * @param since excludes endpoints without a due delivery if their organization has had no event since the minute of this time.
   */
  endpointsWithDueWork(now: number, limit: number, since: number): Step<EndpointToServe[]>;
  /**
   * Returns the endpoints of all organizations, by organization, then id, after `after` (`null`: from the start), at most `limit`.
   */
  webhookEndpointsAfter(after: EndpointRef | null, limit: number): Step<OwnedWebhookEndpoint[]>;
}

/**
 * Webhook writes. A delivery worker's writes never wait for other changes of the organization, and vice versa. All changes to an
 * endpoint or its deliveries begin with {@link lockWebhookEndpoint}.
 */
export interface WebhookWrites {
  insertWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint): Step<void>;
  /**
   * Locks the endpoint until the transaction ends; other transactions that lock it wait. Returns `null` if there is no such
   * endpoint, or if `isWaiting` is false and another transaction holds the lock.
   */
  lockWebhookEndpoint(
    organizationId: string,
    id: string,
    isWaiting: boolean,
  ): Step<StoredWebhookEndpoint | null>;
  /** Replaces the endpoint with this id, except `createdAt`. Returns false if there is none. */
  updateWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint): Step<boolean>;
  /** Removes the endpoint with its deliveries and their attempts. Returns false if there is none. */
  deleteWebhookEndpoint(organizationId: string, id: string): Step<boolean>;

  /** Adds deliveries (at most 1,000) to an endpoint that this transaction has locked. */
  insertDeliveries(
    organizationId: string,
    endpointId: string,
    deliveries: readonly NewDelivery[],
  ): Step<void>;
  /**
   * Claims the deliveries of a locked endpoint that have been due longest, by `nextAttemptAt`, then id. Sets their `nextAttemptAt`
   * to the end of the claim.
   * @returns the claimed deliveries, in that order.
   */
  claimDeliveries(organizationId: string, endpointId: string, claim: Claim): Step<StoredDelivery[]>;
  /**
   * Records attempts at pending deliveries of an endpoint that this transaction has locked, if this lease still holds them, even
   * after it expired; then ends the lease. Each attempt increments the delivery's `attempts`.
   * @returns the ids of the deliveries with a recorded attempt, in input order.
   */
  recordAttempts(
    organizationId: string,
    endpointId: string,
    lease: string,
    outcomes: readonly AttemptOutcome[],
    now: number,
  ): Step<string[]>;
  /**
   * Removes the oldest deliveries of an endpoint that are not pending and were created before a time, with their attempts. At most
   * `limit`.
   * @returns the number of removed deliveries.
   */
  removeDeliveries(organizationId: string, endpointId: string, before: number, limit: number): Step<number>;
}
