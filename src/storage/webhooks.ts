import type { Step } from "../concurrency/step.js";
import type { Claim } from "./jobs.js";
import { integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
/** An address to which events are sent. */
export const webhookEndpointRecord = record("webhookEndpoints", ["id"], {
  id: text(),
  url: text(),
  description: text().nullable(),
  /** The kinds of events that it gets; `null` is every kind. */
  types: list().nullable(),
  /** Signs requests. Sealed if the service has a key for that, else stored as it is. */
  secret: text().sealed(),
  /** The secret before the last rotation, which signs as well until it expires. */
  previousSecret: text().nullable().sealed(),
  previousSecretExpiresAt: time().nullable(),
  /** Both are null while it is enabled. */
  disabledReason: oneOf("requested", "gone", "failing").nullable(),
  disabledAt: time().nullable(),
  /** The time of the first failure since the last success; `null` if the last attempt succeeded. */
  failingSince: time().nullable(),
  /** The time of the first late answer since the last one in time; `null` if the last one came in time. */
  slowSince: time().nullable(),
  /** The events of the outbox up to this position have become deliveries, if the endpoint gets them. */
  position: integer(),
  /** While it is disabled, the last position whose event becomes a delivery still; `null` while it is enabled. */
  lastPosition: integer().nullable(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

/** Why an endpoint is disabled: its owner disabled it, it answered 410, or it failed for days. */
export type DisabledReason = NonNullable<StoredWebhookEndpoint["disabledReason"]>;
export type StoredWebhookEndpoint = RowOf<typeof webhookEndpointRecord>;

/** One event on its way to one endpoint. */
export const webhookDeliveryRecord = record("webhookDeliveries", ["id"], {
  id: text(),
  endpointId: text().refersTo("webhookEndpoints", "id"),
  eventId: text(),
  /** The event's position in the outbox; `null` for one that was never there. */
  eventPosition: integer().nullable(),
  eventType: text(),
  /** The exact text to send, of an event that was never in the outbox; `null` if it is made of the outbox's event. */
  customBody: text().nullable().personal(),
  status: oneOf("pending", "delivered", "failed"),
  /** The number of attempts that were recorded. */
  attempts: integer(),
  /** The time when it is due; `null` unless it is pending. While a worker has claimed it, the time when that claim ends. */
  nextAttemptAt: time().nullable(),
  createdAt: time(),
  updatedAt: time(),
});

export type DeliveryStatus = StoredDelivery["status"];
export type StoredDelivery = RowOf<typeof webhookDeliveryRecord>;

/** A delivery to come: pending, without attempts. */
export type NewDelivery = Omit<StoredDelivery, "status" | "attempts" | "updatedAt" | "nextAttemptAt"> & {
  readonly nextAttemptAt: number;
};

/** A summary of an endpoint's pending deliveries. */
export interface PendingDeliveries {
  /** The number of pending deliveries; at least one. */
  readonly count: number;
  /** The time when the first of them is due. */
  readonly dueAt: number;
}

/** The record of one attempt to deliver. */
export const webhookAttemptRecord = record("webhookAttempts", ["deliveryId", "number"], {
  deliveryId: text().refersTo("webhookDeliveries", "id"),
  /** 1 for the first attempt of a delivery, then 2, 3, … */
  number: integer(),
  startedAt: time(),
  /** In milliseconds. */
  duration: integer(),
  /** The HTTP status of the answer; `null` if there was none. */
  status: integer().nullable(),
  /** The first characters of the answer's body. */
  response: text().nullable().personal(),
  /** Why there was no answer, in words; `null` if there was one. */
  error: text().nullable(),
});

export type StoredAttempt = RowOf<typeof webhookAttemptRecord>;

/** The change that an attempt makes to its delivery. */
export interface AttemptOutcome {
  readonly attempt: StoredAttempt;
  readonly status: DeliveryStatus;
  /** `null` unless the delivery stays pending. */
  readonly nextAttemptAt: number | null;
}

export interface DeliveryQuery {
  /** Only deliveries older than this one in the order of the list; `null` begins with the newest. */
  readonly before: { readonly createdAt: number; readonly id: string } | null;
  /** Only deliveries with this status. Default: any. */
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
}

/** An endpoint of any organization. */
export interface EndpointRef {
  readonly organizationId: string;
  readonly endpointId: string;
}

/** An endpoint with its organization. */
export interface OwnedWebhookEndpoint {
  readonly organizationId: string;
  readonly endpoint: StoredWebhookEndpoint;
}

/** An endpoint that has work for a worker. */
export interface EndpointToServe extends EndpointRef {
  /** True when its last attempt failed, or was answered late. */
  readonly isTroubled: boolean;
}

export interface WebhookReads {
  /** Oldest first: by `createdAt`, then id. */
  listWebhookEndpoints(organizationId: string): Step<StoredWebhookEndpoint[]>;
  findWebhookEndpoint(organizationId: string, id: string): Step<StoredWebhookEndpoint | null>;
  /** The deliveries of an endpoint, newest first: by `createdAt`, then id, both descending. */
  listDeliveries(organizationId: string, endpointId: string, query: DeliveryQuery): Step<StoredDelivery[]>;
  findDelivery(organizationId: string, id: string): Step<StoredDelivery | null>;
  /** The recorded attempts of these deliveries (at most 1,000), by delivery in no order, then by `number`. */
  attemptsOf(organizationId: string, deliveryIds: readonly string[]): Step<StoredAttempt[]>;
  /**
   * Returns a summary of the pending deliveries of each endpoint of the organization, by its id. Endpoints without any are
   * missing.
   */
  pendingDeliveries(organizationId: string): Step<ReadonlyMap<string, PendingDeliveries>>;
  /**
   * The enabled endpoints of all organizations with a delivery that is due at `now`, or with a position below the newest event that
   * they get. At most `limit`, the longest waiting first.
   * @param since leaves out endpoints without a due delivery if their organization has had no event since the minute of this time.
   */
  endpointsWithDueWork(now: number, limit: number, since: number): Step<EndpointToServe[]>;
  /** The endpoints of all organizations, by organization, then id, after `after` (`null`: from the start), at most `limit`. */
  webhookEndpointsAfter(after: EndpointRef | null, limit: number): Step<OwnedWebhookEndpoint[]>;
}

/**
 * The writes of a delivery worker never wait for other changes of the organization, and other changes never wait for them. All
 * changes of an endpoint or its deliveries begin with {@link lockWebhookEndpoint}.
 */
export interface WebhookWrites {
  insertWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint): Step<void>;
  /**
   * Locks the endpoint until the transaction ends; other transactions that lock it wait. Returns `null` if there is none, or if
   * `isWaiting` is false and another transaction holds the lock.
   */
  lockWebhookEndpoint(
    organizationId: string,
    id: string,
    isWaiting: boolean,
  ): Step<StoredWebhookEndpoint | null>;
  /** Replaces the endpoint of this id; `createdAt` stays. Returns false if there is none. */
  updateWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint): Step<boolean>;
  /** Removes the endpoint with its deliveries and their attempts. Returns false if there is none. */
  deleteWebhookEndpoint(organizationId: string, id: string): Step<boolean>;

  /** Adds deliveries (at most 1,000) of an endpoint that this transaction has locked. */
  insertDeliveries(
    organizationId: string,
    endpointId: string,
    deliveries: readonly NewDelivery[],
  ): Step<void>;
  /**
   * Claims the deliveries of a locked endpoint that have been due longest, by `nextAttemptAt`, then id. Their `nextAttemptAt`
   * becomes the end of the claim.
   * @returns the claimed deliveries, in that order.
   */
  claimDeliveries(organizationId: string, endpointId: string, claim: Claim): Step<StoredDelivery[]>;
  /**
   * Records attempts at pending deliveries of an endpoint that this transaction has locked, if this lease still holds them, even
   * after it expired; the lease ends. Each attempt adds 1 to the delivery's `attempts`.
   * @returns the ids of the deliveries with a recorded attempt, in the order given.
   */
  recordAttempts(
    organizationId: string,
    endpointId: string,
    lease: string,
    outcomes: readonly AttemptOutcome[],
    now: number,
  ): Step<string[]>;
  /**
   * Removes the oldest deliveries of an endpoint that are not pending and were made before a time, with their attempts.
   * At most `limit`.
   * @returns how many were removed.
   */
  removeDeliveries(organizationId: string, endpointId: string, before: number, limit: number): Step<number>;
}
