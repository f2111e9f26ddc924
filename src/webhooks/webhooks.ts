import { runStep } from "../base/concurrency/step.js";
import { createLoyaltyError } from "../base/errors.js";
import { parse, parseNew } from "../base/parse.js";
import { nextUpdatedAt } from "../base/values/clock.js";
import { type AuditedAction, recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import type { ChangeBatch } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { StoredWebhookEndpoint } from "../storage/webhooks.js";
import {
  type DeliveryListQuery,
  deliveryQuerySchema,
  formatDeliveryCursor,
  parseDeliveryCursor,
  type Replay,
  type ReplayResult,
  replaySchema,
  toWebhookDelivery,
  type WebhookDelivery,
  type WebhookDeliveryPage,
} from "./delivery-schema.js";
import { findEventById } from "./events.js";
import { assertEnabled, countRemainingCapacity, createDelivery, formatEventBody } from "./fan-out.js";
import { findEventsToReplay, insertReplays, REPLAY_BATCH_SIZE } from "./replay.js";
import {
  buildWebhookUrlSchema,
  type CreateWebhookEndpoint,
  createWebhookEndpointSchema,
  toWebhookEndpoint,
  type UpdateWebhookEndpoint,
  updateWebhookEndpointSchema,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from "./schema.js";
import { generateWebhookSecret, SECRET_OVERLAP_MS } from "./signature.js";
import {
  findEndpoint,
  lockEndpoint,
  lockEndpointOnly,
  openEndpoint,
  sealEndpoint,
} from "./stored-endpoint.js";

/**
 * Manages an organization's webhook endpoints and their deliveries. All calls require the scope `webhook:manage`. A delivery worker
 * sends the deliveries. Nothing is sent if the service has no outbox.
 *
 * If an endpoint is deleted, disabled, or moved to another URL, or if its secret is rotated twice, a delivery that was already
 * claimed might still be sent with the old settings for up to five seconds.
 */
export class Webhooks extends UseCases {
  /**
   * Adds an endpoint, which receives events from then on. An organization can have at most 100 endpoints. If unknown keys are
   * ignored, as they are over HTTP by default, an endpoint whose `types` key is misspelled receives events of all types.
   * @param input `url` must use HTTPS, be at most 2,048 characters long, contain neither credentials (userinfo) nor a fragment, and
   *   not point to a private host. `types` lists the event types to receive (default: all). `description` can be at most 500
   *   characters long.
   * @returns the endpoint and the secret that signs its requests (Standard Webhooks). The secret is never shown again.
   * @throws {LoyaltyError} `validation_failed`, `too_many_webhook_endpoints`, or `access_denied` if the caller lacks
   *   `webhook:manage`.
   */
  async create(input: CreateWebhookEndpoint & IdempotencyOptions): Promise<WebhookEndpointWithSecret> {
    const { tenant } = this;
    const schema = createWebhookEndpointSchema.extend({ url: this.urlSchema });
    const { url, types, description } = parseNew(schema, input);
    return tenant.change(["webhooks.create", input], function* ({ tx }) {
      yield* assertBelowLimit(tx, tenant, "webhookEndpoints");
      const now = tenant.now();
      const endpoint: StoredWebhookEndpoint = {
        id: tenant.newId("whe"),
        url,
        description: description ?? null,
        types: types ? [...new Set(types)] : null,
        secret: generateWebhookSecret(),
        previousSecret: null,
        previousSecretExpiresAt: null,
        disabledReason: null,
        disabledAt: null,
        failingSince: null,
        slowSince: null,
        lastPosition: null,
        position: yield* tx.newestEventPosition(),
        createdAt: now,
        updatedAt: now,
      };
      yield* tx.insertWebhookEndpoint(sealEndpoint(tenant, endpoint));
      yield* recordAuditEntry(tx, tenant, {
        action: "webhook_endpoint.created",
        ...buildEndpointAuditEntry(endpoint),
      });
      return { secret: endpoint.secret, webhookEndpoint: toWebhookEndpoint(endpoint) };
    });
  }

  /**
   * Returns all of the organization's endpoints, oldest first.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `webhook:manage`.
   */
  async list(): Promise<WebhookEndpoint[]> {
    return (await runStep(this.tenant.reader.listWebhookEndpoints())).map(toWebhookEndpoint);
  }

  /**
   * Returns one endpoint.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `webhook:manage`.
   */
  async get(webhookEndpointId: string): Promise<WebhookEndpoint> {
    return toWebhookEndpoint(await runStep(findEndpoint(this.tenant, this.tenant.reader, webhookEndpointId)));
  }

  /**
   * Changes only the given fields of an endpoint. `isDisabled: true` stops all deliveries, including pending ones, until the
   * endpoint is enabled again. An attempt that was already claimed might still start within five seconds. `isDisabled: false`
   * enables the endpoint, regardless of why it was disabled. It then receives all new events and the deliveries that were pending
   * when it was disabled. Events from the time in between can be replayed. If nothing changes, `updatedAt` stays the same.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `webhook:manage`.
   */
  async update(
    webhookEndpointId: string,
    input: UpdateWebhookEndpoint & IdempotencyOptions,
  ): Promise<WebhookEndpoint> {
    const { tenant } = this;
    const fields = parse(updateWebhookEndpointSchema.extend({ url: this.urlSchema.optional() }), input);
    return tenant.change(["webhooks.update", webhookEndpointId, input], function* ({ tx }) {
      const before = yield* lockEndpoint(tenant, tx, webhookEndpointId);
      const now = tenant.now();
      const newestPosition = yield* tx.newestEventPosition();
      const newEndpoint = applyEndpointChange(before, fields, now, newestPosition);
      if (newEndpoint === null) return toWebhookEndpoint(before);
      const endpoint = { ...newEndpoint, updatedAt: nextUpdatedAt(before.updatedAt, now) };
      yield* tx.updateWebhookEndpoint(endpoint);
      yield* recordAuditEntry(tx, tenant, {
        action: "webhook_endpoint.updated",
        ...buildEndpointAuditEntry(endpoint),
      });
      return toWebhookEndpoint(endpoint);
    });
  }

  /**
   * Deletes an endpoint and its deliveries. An attempt that was already claimed might still start within five seconds.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `webhook:manage`.
   */
  async delete(webhookEndpointId: string, options: IdempotencyOptions = {}): Promise<void> {
    const { tenant } = this;
    const isLarge = async () => true;
    await tenant.change(
      ["webhooks.delete", webhookEndpointId, options],
      function* ({ tx }) {
        const endpoint = yield* lockEndpoint(tenant, tx, webhookEndpointId);
        yield* tx.deleteWebhookEndpoint(endpoint.id);
        yield* recordAuditEntry(tx, tenant, {
          action: "webhook_endpoint.deleted",
          ...buildEndpointAuditEntry(endpoint),
        });
      },
      isLarge,
    );
  }

  /**
   * Replaces the endpoint's secret. For 24 hours, requests are also signed with the previous secret so that the receiver has time
   * to switch. Any older secret is no longer used, except by attempts that were already claimed and start within five seconds.
   * @returns the endpoint and its new secret, which is never shown again.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `webhook:manage`.
   */
  async rotateSecret(
    webhookEndpointId: string,
    options: IdempotencyOptions = {},
  ): Promise<WebhookEndpointWithSecret> {
    const { tenant } = this;
    return tenant.change(["webhooks.rotateSecret", webhookEndpointId, options], function* ({ tx }) {
      const before = openEndpoint(tenant, yield* lockEndpoint(tenant, tx, webhookEndpointId));
      const now = tenant.now();
      const endpoint = {
        ...before,
        secret: generateWebhookSecret(),
        previousSecret: before.secret,
        previousSecretExpiresAt: now + SECRET_OVERLAP_MS,
        updatedAt: nextUpdatedAt(before.updatedAt, now),
      };
      yield* tx.updateWebhookEndpoint(sealEndpoint(tenant, endpoint));
      yield* recordAuditEntry(tx, tenant, {
        action: "webhook_endpoint.secret_rotated",
        ...buildEndpointAuditEntry(endpoint),
      });
      return { secret: endpoint.secret, webhookEndpoint: toWebhookEndpoint(endpoint) };
    });
  }

  /**
   * Lists the endpoint's deliveries, newest first, each with all of its attempts. While a delivery is being sent, its
   * `nextAttemptAt` is the time when the worker's claim expires. Finished deliveries are kept a little longer than their events
   * stay in the outbox.
   * @param query `after` is the `next` value of an earlier page. By default, the list starts with the newest delivery. `limit` is 1
   *   to 200 (default: 50). `status` is `pending`, `delivered`, or `failed` (default: all).
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `webhook:manage`.
   */
  async deliveries(webhookEndpointId: string, query: DeliveryListQuery = {}): Promise<WebhookDeliveryPage> {
    const { tenant } = this;
    const { after, limit, status } = parse(deliveryQuerySchema, query);
    return tenant.read(function* (reader) {
      const { id } = yield* findEndpoint(tenant, reader, webhookEndpointId);
      const before = parseDeliveryCursor(after);
      const page = yield* reader.listDeliveries(id, { before, status, limit: limit + 1 });
      const deliveries = page.slice(0, limit);
      const ids = deliveries.map((delivery) => delivery.id);
      const attempts = ids.length === 0 ? [] : yield* reader.attemptsOf(ids);
      const last = page.length > limit ? deliveries.at(-1) : undefined;
      return {
        content: deliveries.map((delivery) => toWebhookDelivery(delivery, attempts)),
        next: last === undefined ? null : formatDeliveryCursor(last),
      };
    });
  }

  /**
   * Sends events again. Each event becomes a new delivery with the original event ID, so receivers can recognize it. Deliveries
   * that are still pending keep their schedule.
   *
   * A time range selects up to 10,000 events from the outbox that match the endpoint's types. Timestamps can be out of order by up
   * to a minute. After a larger clock jump, a time range might miss events, which can then be replayed by ID instead. Finding an
   * event by ID is fast if the ID is a time-ordered UUID, like the IDs that the service creates. Any other ID requires a search of
   * the whole outbox, which queues with other costly reads.
   *
   * Deliveries are created in batches of 500. If the storage fails, the batches that were already created remain.
   * @param replay one of the following: `deliveryId`, `eventId` for an event in the outbox (test events are never in the outbox),
   *   or `since` (inclusive) and `until` (exclusive) as ISO 8601 timestamps.
   * @throws {LoyaltyError} `resource_not_found` if the endpoint, delivery, or event doesn't exist, `webhook_endpoint_disabled`,
   *   `too_many_pending_deliveries`, `validation_failed` (including on `until` if the range contains too many events),
   *   `storage_unavailable` if too many calls are waiting, or `access_denied` if the caller lacks `webhook:manage`.
   */
  async replay(webhookEndpointId: string, replay: Replay & IdempotencyOptions): Promise<ReplayResult> {
    const { tenant } = this;
    const parsedReplay = parse(replaySchema, replay);

    const request = ["webhooks.replay", webhookEndpointId, replay] as const;
    const isTimeRange = parsedReplay.since !== undefined;
    // Search the outbox before locking the endpoint.
    const byId =
      parsedReplay.eventId === undefined ? null : await findEventById(tenant, parsedReplay.eventId);
    const result = await (isTimeRange && !tenant.isJoining
      ? tenant.changeInBatches(request, { deliveries: 0 }, () =>
          this.readReplayBatches(webhookEndpointId, parsedReplay),
        )
      : tenant.change(request, function* ({ tx }) {
          const endpoint = yield* lockEndpointOnly(tenant, tx, webhookEndpointId);
          const events = yield* findEventsToReplay(tenant, tx, { endpoint, replay: parsedReplay, byId });
          yield* insertReplays(tenant, tx, endpoint, { events, total: events.length });
          return { deliveries: events.length };
        }));
    this.wakeWorkers();
    return result;
  }

  /**
   * Finds the events to replay, in batches. Every error that can refuse the replay is thrown here, before the first batch is
   * inserted.
   */
  private async readReplayBatches(
    webhookEndpointId: string,
    parsedReplay: Replay,
  ): Promise<readonly ChangeBatch<ReplayResult>[]> {
    const { tenant } = this;

    const events = await tenant.read(function* (reader) {
      const endpoint = yield* findEndpoint(tenant, reader, webhookEndpointId);
      assertEnabled(endpoint);
      return yield* findEventsToReplay(tenant, reader, { endpoint, replay: parsedReplay, byId: null });
    }, true);
    const batches = events.length === 0 ? [events] : [...splitIntoBatches(events, REPLAY_BATCH_SIZE)];
    return batches.map(
      (batch) =>
        function* ({ tx }, { deliveries }) {
          const endpoint = yield* lockEndpointOnly(tenant, tx, webhookEndpointId);
          yield* insertReplays(tenant, tx, endpoint, { events: batch, total: events.length - deliveries });
          return { deliveries: deliveries + batch.length };
        },
    );
  }

  /**
   * Sends a test event of type `webhook.test` to the endpoint, regardless of the endpoint's types. The event's data is the
   * endpoint, as returned by {@link get}. The event isn't stored in the outbox, and no other endpoint receives it.
   * @returns the pending delivery.
   * @throws {LoyaltyError} `resource_not_found`, `webhook_endpoint_disabled`, `too_many_pending_deliveries`, or `access_denied` if
   *   the caller lacks `webhook:manage`.
   */
  async test(webhookEndpointId: string, options: IdempotencyOptions = {}): Promise<WebhookDelivery> {
    const { tenant } = this;
    const request = ["webhooks.test", webhookEndpointId, options] as const;
    const testDelivery = await tenant.change(request, function* ({ tx }) {
      const endpoint = yield* lockEndpointOnly(tenant, tx, webhookEndpointId);
      assertEnabled(endpoint);
      const { engine } = tenant;
      const pending = yield* tx.pendingDeliveries();
      if (countRemainingCapacity(pending, endpoint.id, engine.config.limits) === 0)
        throw createLoyaltyError("too_many_pending_deliveries");
      const id = tenant.newId("evt");
      const data = JSON.stringify(toWebhookEndpoint(endpoint));
      const event = {
        id,
        position: null,
        type: "webhook.test",
        createdAt: tenant.now(),
        data,
        ...tenant.actor.stored,
      };
      const delivery = createDelivery(event, endpoint, tenant, formatEventBody(event));
      yield* tx.insertDeliveries(endpoint.id, [delivery]);
      const { createdAt: updatedAt } = delivery;
      return toWebhookDelivery({ ...delivery, status: "pending", attempts: 0, updatedAt }, []);
    });
    this.wakeWorkers();
    return testDelivery;
  }

  /** Wakes this process's workers after a commit. Changes in a host transaction wait for the next poll. */
  private wakeWorkers(): void {
    const { isJoining, engine, organizationId } = this.tenant;
    if (!isJoining) engine.delivery.outbox?.signalWork(organizationId);
  }

  private get urlSchema() {
    return buildWebhookUrlSchema(this.tenant.engine.config.allowsLoopback);
  }
}

/** Builds the audit entry for an endpoint. URL paths are left out, because they may be secret. */
function buildEndpointAuditEntry({
  id,
  url,
  types,
  disabledReason,
}: StoredWebhookEndpoint): Omit<AuditedAction, "action"> {
  return { target: id, details: { origin: new URL(url).origin, types, disabledReason } };
}

interface EndpointChange {
  readonly url?: string | undefined;
  readonly types?: readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  readonly isDisabled?: boolean | undefined;
}

/**
 * Applies a change to an endpoint. Changing the URL or enabling the endpoint clears its failure history.
 * @param newestPosition the newest position in the organization's outbox. If the change disables the endpoint, events up to this
 *   position are still delivered to it, and later ones aren't. If the change enables the endpoint, it skips ahead to this position,
 *   unless some events from before it was disabled don't have deliveries yet. In that case, it continues where it left off.
 * @returns the changed endpoint, or `null` if nothing changes.
 */
function applyEndpointChange(
  before: StoredWebhookEndpoint,
  { url = before.url, types = before.types, description = before.description, isDisabled }: EndpointChange,
  now: number,
  newestPosition: number,
): StoredWebhookEndpoint | null {
  const isUrlChanged = url !== before.url;
  const after: StoredWebhookEndpoint = {
    ...before,
    url,
    description,
    types: types && [...new Set(types)],
    failingSince: isUrlChanged ? null : before.failingSince,
    slowSince: isUrlChanged ? null : before.slowSince,
  };
  const wasDisabled = before.disabledAt !== null;
  if (isDisabled !== undefined && isDisabled !== wasDisabled) {
    return isDisabled
      ? { ...after, disabledReason: "requested", disabledAt: now, lastPosition: newestPosition }
      : enableEndpoint(after, newestPosition);
  }
  const isUnchanged =
    !isUrlChanged && description === before.description && haveSameItems(after.types, before.types);
  return isUnchanged ? null : after;
}

function enableEndpoint(endpoint: StoredWebhookEndpoint, newestPosition: number): StoredWebhookEndpoint {
  const { position, lastPosition } = endpoint;
  const isBehind = lastPosition !== null && position < lastPosition;
  return {
    ...endpoint,
    disabledReason: null,
    disabledAt: null,
    failingSince: null,
    slowSince: null,
    position: isBehind ? position : newestPosition,
    lastPosition: null,
  };
}

function haveSameItems(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
