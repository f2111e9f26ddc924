import type { Step } from "../base/concurrency/step.js";
import type { Claim } from "./jobs.js";
import { integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
/** A webhook endpoint: a URL to which events are sent. */
export const webhookEndpointRecord = record("webhookEndpoints", ["id"], {
  /** The endpoint's ID, unique within the organization. */
  id: text(),
  /** The URL that events are sent to. */
  url: text(),
  /** A note about the endpoint's purpose, or `null` if there is none. */
  description: text().nullable(),
  /** The event types that the endpoint receives, or `null` for every type. */
  types: list().nullable(),
  /** The key that signs requests. Encrypted if the service has a secret key, and otherwise stored in plain text. */
  secret: text().sealed("webhook secret"),
  /** The signing secret before the last rotation. Requests are signed with it as well until it expires. */
  previousSecret: text().nullable().sealed("webhook secret"),
  /** When the previous secret expires, in milliseconds since the Unix epoch, or `null` if the secret has never been rotated. */
  previousSecretExpiresAt: time().nullable(),
  /** Why the endpoint is disabled; `null` while it is enabled, like `disabledAt`. */
  disabledReason: oneOf("requested", "gone", "failing").nullable(),
  /** When the endpoint was disabled, in milliseconds since the Unix epoch, or `null` while it is enabled. */
  disabledAt: time().nullable(),
  /** The time of the first failure since the last success, or `null` if the last attempt succeeded. */
  failingSince: time().nullable(),
  /** The time of the first late response since the last response that was on time, or `null` if the last response was on time. */
  slowSince: time().nullable(),
  /** Deliveries have been created for all events up to this outbox position that the endpoint receives. */
  position: integer(),
  /** While the endpoint is disabled, the position of the last event that is still delivered to it; `null` while it is enabled. */
  lastPosition: integer().nullable(),
  /** When the endpoint was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /**
   * When the endpoint was last edited, disabled, or given a new secret, in milliseconds since the Unix epoch. Sending events to the
   * endpoint doesn't change this time.
   */
  updatedAt: time(),
});

/** Why an endpoint is disabled: on request, because it responded with 410 Gone, or because it failed continuously for five days. */
export type DisabledReason = NonNullable<StoredWebhookEndpoint["disabledReason"]>;
export type StoredWebhookEndpoint = RowOf<typeof webhookEndpointRecord>;

/** The delivery of one event to one endpoint. */
export const webhookDeliveryRecord = record("webhookDeliveries", ["id"], {
  /** The delivery's ID, unique within the organization. */
  id: text(),
  /** The ID of the endpoint that the event is sent to. */
  endpointId: text().refersTo("webhookEndpoints", "id"),
  /** The ID of the event to send. */
  eventId: text(),
  /** The event's outbox position, or `null` for an event that was never in the outbox. */
  eventPosition: integer().nullable(),
  /** The type of the event, such as `pass.created`. */
  eventType: text(),
  /** The exact body to send for an event that was never in the outbox, or `null` if the body is built from the outbox event. */
  customBody: text().nullable(),
  /** Whether the delivery is unfinished (`pending`), succeeded (`delivered`), or was abandoned (`failed`). */
  status: oneOf("pending", "delivered", "failed"),
  /** Number of recorded attempts. */
  attempts: integer(),
  /**
   * The time when the delivery is due. `null` unless it is pending. While a worker holds a claim on the delivery, the time when the
   * claim expires.
   */
  nextAttemptAt: time().nullable(),
  /** When the delivery was created, in milliseconds since the Unix epoch. */
  createdAt: time(),
  /** When the delivery was created or its latest attempt was recorded, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

export type DeliveryStatus = StoredDelivery["status"];
export type StoredDelivery = RowOf<typeof webhookDeliveryRecord>;

/** A new delivery, which is pending and hasn't been attempted yet. */
export type NewDelivery = Omit<StoredDelivery, "status" | "attempts" | "updatedAt" | "nextAttemptAt"> & {
  /** When the first attempt is due, in milliseconds since the Unix epoch. */
  readonly nextAttemptAt: number;
};

/** A summary of the pending deliveries to an endpoint. */
export interface PendingDeliveries {
  /** The pending delivery count, which is at least 1. */
  readonly count: number;
  /** When the earliest pending delivery is due, in milliseconds since the Unix epoch. */
  readonly dueAt: number;
}

/** One attempt to deliver an event to an endpoint, whether or not the endpoint responded. */
export const webhookAttemptRecord = record("webhookAttempts", ["deliveryId", "number"], {
  /** The ID of the delivery that was attempted. */
  deliveryId: text().refersTo("webhookDeliveries", "id"),
  /** The attempt's number within its delivery: 1, 2, 3, … */
  number: integer(),
  /** When the attempt started, in milliseconds since the Unix epoch. */
  startedAt: time(),
  /** Duration of the attempt, in milliseconds. */
  duration: integer(),
  /** The response's HTTP status, or `null` if there was no response. */
  status: integer().nullable(),
  /** The beginning of the response body, truncated. */
  response: text().nullable(),
  /** Describes why there was no response, or `null` if there was one. */
  error: text().nullable(),
});

export type StoredAttempt = RowOf<typeof webhookAttemptRecord>;

/** The result of an attempt: the attempt to record, and the delivery's new state. */
export interface AttemptOutcome {
  /** The attempt, to be stored with the delivery. */
  readonly attempt: StoredAttempt;
  /** The delivery's status after the attempt. */
  readonly status: DeliveryStatus;
  /** The time of the next attempt, in milliseconds since the Unix epoch. `null` unless the delivery is still pending. */
  readonly nextAttemptAt: number | null;
}

export interface DeliveryQuery {
  /** The creation time and ID of the previous page's last delivery, or `null` to start with the newest delivery. */
  readonly before: { readonly createdAt: number; readonly id: string } | null;
  /** The status to filter by. Default: any status. */
  readonly status?: DeliveryStatus | undefined;
  /** Maximum number of deliveries to return. */
  readonly limit: number;
}

/** Identifies an endpoint across all organizations by its organization's ID and its own ID. */
export interface EndpointRef {
  /** The ID of the organization that owns the endpoint. Endpoint IDs are unique only within an organization. */
  readonly organizationId: string;
  /** The endpoint's ID, unique within its organization. */
  readonly endpointId: string;
}

/** An endpoint with its organization's ID, for lists that span all organizations. */
export interface OwnedWebhookEndpoint {
  /** The ID of the organization that registered the endpoint. */
  readonly organizationId: string;
  /** The endpoint, whether enabled or disabled. */
  readonly endpoint: StoredWebhookEndpoint;
}

/** An endpoint with due deliveries or new events for a delivery worker to handle. */
export interface EndpointToServe extends EndpointRef {
  /** Whether the most recent attempt failed or was slow. */
  readonly isTroubled: boolean;
}

export interface WebhookReads {
  /** Lists the organization's endpoints, enabled or disabled, sorted by `createdAt` (oldest first), then by ID. */
  listWebhookEndpoints(): Step<StoredWebhookEndpoint[]>;
  /** Finds an endpoint by its ID, whether it is enabled or disabled. Returns `null` if there is none. */
  findWebhookEndpoint(id: string): Step<StoredWebhookEndpoint | null>;
  /** Lists an endpoint's deliveries, sorted by `createdAt` (newest first), then by ID in descending order. */
  listDeliveries(endpointId: string, query: DeliveryQuery): Step<StoredDelivery[]>;
  /** Finds a delivery by its ID, among all of the organization's endpoints. Returns `null` if there is none. */
  findDelivery(id: string): Step<StoredDelivery | null>;
  /**
   * Returns the recorded attempts at up to 1,000 deliveries, grouped by delivery and sorted by `number` within each group. The
   * groups are in no particular order.
   */
  attemptsOf(deliveryIds: readonly string[]): Step<StoredAttempt[]>;
  /**
   * Summarizes the pending deliveries to each of the organization's endpoints, keyed by endpoint ID. Endpoints without pending
   * deliveries have no entry.
   */
  pendingDeliveries(): Step<ReadonlyMap<string, PendingDeliveries>>;
}

/** Look-ups across all organizations. */
export interface WebhookLookUps {
  /**
   * Returns up to `limit` enabled endpoints that have work, across all organizations, longest-waiting first. An endpoint has work
   * if a delivery is due at `now`, or if the outbox has an event for the endpoint after the endpoint's position.
   * @param since the earliest event time to consider. An endpoint without due deliveries is skipped if its organization has had no
   *   events since the start of the minute that contains this time.
   */
  endpointsWithDueWork(now: number, limit: number, since: number): Step<EndpointToServe[]>;
  /**
   * Lists up to `limit` endpoints across all organizations, sorted by organization, then by ID. Starts after `after`, or at the
   * beginning if `after` is `null`.
   */
  webhookEndpointsAfter(after: EndpointRef | null, limit: number): Step<OwnedWebhookEndpoint[]>;
}

/**
 * Write operations for webhooks. Delivery workers' writes and the organization's other changes never block each other. A
 * transaction must call {@link lockWebhookEndpoint} before it changes an endpoint or its deliveries.
 */
export interface WebhookWrites {
  /** Adds an endpoint. Its ID must be unused. */
  insertWebhookEndpoint(endpoint: StoredWebhookEndpoint): Step<void>;
  /**
   * Locks the endpoint until the transaction ends. Returns `null` if there is no such endpoint. If another transaction holds the
   * lock, waits for it to end if `isWaiting` is `true`, or returns `null` otherwise.
   */
  lockWebhookEndpoint(id: string, isWaiting: boolean): Step<StoredWebhookEndpoint | null>;
  /**
   * Updates the stored endpoint that has the same ID. Overwrites every field except `createdAt`. Returns `false` if there is no
   * such endpoint.
   */
  updateWebhookEndpoint(endpoint: StoredWebhookEndpoint): Step<boolean>;
  /** Removes an endpoint along with its deliveries and their attempts. Returns `false` if there is no such endpoint. */
  deleteWebhookEndpoint(id: string): Step<boolean>;

  /** Adds up to 1,000 deliveries to an endpoint. The transaction must already have locked the endpoint. */
  insertDeliveries(endpointId: string, deliveries: readonly NewDelivery[]): Step<void>;
  /**
   * Claims a locked endpoint's due deliveries, longest overdue first, by setting their `nextAttemptAt` to the time when the claim
   * expires.
   * @returns the claimed deliveries, sorted by their earlier `nextAttemptAt`, then by ID.
   */
  claimDeliveries(endpointId: string, claim: Claim): Step<StoredDelivery[]>;
  /**
   * Records attempts at an endpoint's pending deliveries, and releases the deliveries. The transaction must already have locked the
   * endpoint. Ignores deliveries that aren't held under `lease`. An expired lease still holds its deliveries until they are claimed
   * again. Each attempt increments the delivery's `attempts`.
   * @returns the IDs of the deliveries whose attempts were recorded, in input order.
   */
  recordAttempts(
    endpointId: string,
    lease: string,
    outcomes: readonly AttemptOutcome[],
    now: number,
  ): Step<string[]>;
  /**
   * Removes up to `limit` of an endpoint's deliveries along with their attempts, oldest first. Only deliveries that were created
   * before the given time and are no longer pending are removed.
   * @returns the number of deliveries removed.
   */
  removeDeliveries(endpointId: string, before: number, limit: number): Step<number>;
}
