import type { Step } from "../concurrency/step.js";
/** Why an endpoint gets nothing: its owner asked for it, it answered 410, or it failed for days. */
export type DisabledReason = "requested" | "gone" | "failing";

/** Where events are sent. */
export interface StoredWebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** The kinds of events that it gets; `null` is every kind. */
  readonly types: readonly string[] | null;
  /** Signs what is sent: sealed where the service has a key for that, and else as it is. */
  readonly secret: string;
  /** The secret before the last rotation, which signs as well until it expires. */
  readonly previousSecret: string | null;
  readonly previousSecretExpiresAt: number | null;
  /** Both are null while it is enabled. */
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: number | null;
  /** When the first of the failures was that no success has followed; `null` when the last attempt succeeded. */
  readonly failingSince: number | null;
  /** When the first of the late answers came that none in time has followed; `null` when the last one came in time. */
  readonly slowSince: number | null;
  /** The events of the outbox up to this position have become deliveries, as far as it gets them. */
  readonly position: number;
  /** While it is disabled, the last position whose event becomes a delivery still; `null` while it is enabled. */
  readonly lastPosition: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type DeliveryStatus = "pending" | "delivered" | "failed";

/** One event on its way to one endpoint. */
export interface StoredDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The exact text to send, of an event that was never in the outbox; `null` where it is made of the outbox's event. */
  readonly ownBody: string | null;
  readonly status: DeliveryStatus;
  /** How many attempts were recorded. */
  readonly attempts: number;
  /** When it is due; `null` unless it is pending. While a worker has claimed it: when that claim ends. */
  readonly nextAttemptAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A delivery to come: pending, without attempts. */
export type NewDelivery = Omit<StoredDelivery, "status" | "attempts" | "updatedAt" | "nextAttemptAt"> & {
  readonly nextAttemptAt: number;
};

/** What of an endpoint's deliveries is to be done. */
export interface PendingDeliveries {
  /** How many are pending; at least one. */
  readonly count: number;
  /** When the first of them is due. */
  readonly dueAt: number;
}

/** What became of one attempt to deliver. */
export interface StoredAttempt {
  readonly deliveryId: string;
  /** 1 for the first attempt of a delivery, then 2, 3, … */
  readonly number: number;
  readonly startedAt: number;
  /** In milliseconds. */
  readonly duration: number;
  /** The HTTP status of the answer; `null` when there was none. */
  readonly status: number | null;
  /** The first characters of the answer's body. */
  readonly answer: string | null;
  /** Why there was no answer, in words; `null` when there was one. */
  readonly error: string | null;
}

/** What an attempt makes of its delivery. */
export interface AttemptOutcome {
  readonly attempt: StoredAttempt;
  readonly status: DeliveryStatus;
  /** `null` unless the delivery stays pending. */
  readonly nextAttemptAt: number | null;
}

/** A worker's claim to some deliveries. */
export interface DeliveryClaim {
  /** Names the claim; given once. */
  readonly lease: string;
  readonly now: number;
  /** When the claim ends by itself, and the deliveries are due again. */
  readonly until: number;
  readonly limit: number;
}

export interface DeliveryQuery {
  /** Only deliveries older than this one in the order of the list; `null` begins with the newest. */
  readonly before: { readonly createdAt: number; readonly id: string } | null;
  /** Only deliveries with this status; of any, unless given. */
  readonly status?: DeliveryStatus | undefined;
  readonly limit: number;
}

/** An endpoint of any organization. */
export interface EndpointPlace {
  readonly organizationId: string;
  readonly endpointId: string;
}

/** An endpoint with its organization. */
export interface OwnedWebhookEndpoint {
  readonly organizationId: string;
  readonly endpoint: StoredWebhookEndpoint;
}

/** Where there is work for a worker. */
export interface EndpointToServe extends EndpointPlace {
  /** Whether the last attempt at it failed, or was answered late. */
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
  /** What is pending of the organization's endpoints, by their ids. Those without pending deliveries are missing. */
  pendingDeliveries(organizationId: string): Step<ReadonlyMap<string, PendingDeliveries>>;
  /**
   * The endpoints, of all organizations, that are enabled and have a delivery that is due at `now`, or whose position is
   * below the last one that they get: that of the newest event ever, while they are enabled. At most `limit`, those that
   * wait longest for a delivery first.
   * @param since leaves out those without a due delivery in whose organization no event was made since the minute of that
   *   time.
   */
  endpointsToServe(now: number, limit: number, since: number): Step<EndpointToServe[]>;
  /** The endpoints of all organizations, by organization, then id, from behind `after` (`null` for the start), at most `limit`. */
  webhookEndpointsBehind(after: EndpointPlace | null, limit: number): Step<OwnedWebhookEndpoint[]>;
}

/**
 * The writes of a delivery worker never wait for other changes of the organization, nor those for them. All that change
 * an endpoint or its deliveries begin with {@link lockWebhookEndpoint}.
 */
export interface WebhookWrites {
  insertWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint): Step<void>;
  /**
   * The endpoint, as it stays until the transaction ends but for what that does itself: other transactions that lock it
   * wait. `null` when there is none; also, where `isWaiting` is false, when another transaction has it locked.
   */
  lockWebhookEndpoint(
    organizationId: string,
    id: string,
    isWaiting: boolean,
  ): Step<StoredWebhookEndpoint | null>;
  /** Replaces the endpoint of this id; `createdAt` stays. False when there is none. */
  updateWebhookEndpoint(organizationId: string, endpoint: StoredWebhookEndpoint): Step<boolean>;
  /** Removes the endpoint with its deliveries and their attempts. False when there is none. */
  deleteWebhookEndpoint(organizationId: string, id: string): Step<boolean>;

  /** Adds deliveries (at most 1,000) of an endpoint that this transaction has locked. */
  insertDeliveries(
    organizationId: string,
    endpointId: string,
    deliveries: readonly NewDelivery[],
  ): Step<void>;
  /**
   * Claims deliveries of an endpoint that this transaction has locked: those that have been due longest, by
   * `nextAttemptAt`, then id. Their `nextAttemptAt` becomes the end of the claim.
   * @returns them, in that order.
   */
  claimDeliveries(organizationId: string, endpointId: string, claim: DeliveryClaim): Step<StoredDelivery[]>;
  /**
   * Records attempts at deliveries of an endpoint that this transaction has locked, as far as those are pending and nobody
   * has claimed them since this lease, also after its end; it ends with that. Each adds 1 to the delivery's `attempts`.
   * @returns the ids of the deliveries whose attempt was recorded, in the order given.
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
