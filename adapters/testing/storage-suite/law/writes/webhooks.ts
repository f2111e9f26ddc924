import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { type StoredWebhookEndpoint, webhookEndpointRecord } from "../../../../../src/storage/webhooks.js";
import { someDelivery, someOutcome, someWebhookEndpoint } from "../../kit/records.js";
import type { World } from "../world.js";
import { chooseRow, newOrShared, type Write, type WriteName } from "./choosing.js";

/** Returns fields for an endpoint. The fields that describe its disabled state are consistent with each other. */
function createEndpointFields(world: World): Partial<StoredWebhookEndpoint> {
  const disabledReason = world.rarely(2) ? null : world.one(["requested", "gone", "failing"] as const);
  const isEnabled = disabledReason === null;
  return {
    ...world.fieldsOf(webhookEndpointRecord),
    disabledReason,
    disabledAt: isEnabled ? null : world.time(),
    lastPosition: isEnabled ? null : world.orNull(world.below(6)),
  };
}

const anEndpoint = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.endpoints, (endpoint) => tx.lockWebhookEndpoint(endpoint.id, true));

export const webhookWrites = {
  *insertWebhookEndpoint(tx, world) {
    const isThere = function* (row: { id: string }) {
      return (yield* tx.findWebhookEndpoint(row.id)) !== null;
    };
    const endpoint = yield* newOrShared(world, world.endpoints, isThere, () =>
      someWebhookEndpoint({ ...createEndpointFields(world), id: world.id() }),
    );
    yield* tx.insertWebhookEndpoint(world.keep(world.endpoints, endpoint));
  },
  lockWebhookEndpoint: (tx, world) => tx.lockWebhookEndpoint(world.one(world.endpoints).id, world.rarely(2)),
  *updateWebhookEndpoint(tx, world) {
    const { id: endpointId } = world.one(world.endpoints);
    yield* tx.lockWebhookEndpoint(endpointId, true);
    const fields = { ...createEndpointFields(world), id: endpointId };
    yield* tx.updateWebhookEndpoint(someWebhookEndpoint(fields));
  },
  *deleteWebhookEndpoint(tx, world) {
    const { id: endpointId } = world.one(world.endpoints);
    yield* tx.lockWebhookEndpoint(endpointId, true);
    yield* tx.deleteWebhookEndpoint(endpointId);
  },
  *insertDeliveries(tx, world) {
    const endpoint = yield* anEndpoint(tx, world);
    if (endpoint === null) return;
    const deliveries = Array.from({ length: 1 + world.below(3) }, () =>
      someDelivery(endpoint, {
        id: world.id(),
        eventId: world.one(world.events).id,
        eventPosition: world.orNull(1 + world.below(6)),
        customBody: world.orNull('{"by":"ada"}'),
        // Times rarely collide, because a storage may remove either of two deliveries with equal times first.
        createdAt: world.below(2 ** 30),
        nextAttemptAt: world.time(),
      }),
    );
    for (const delivery of deliveries) world.keep(world.deliveries, delivery);
    yield* tx.insertDeliveries(endpoint.id, deliveries);
  },
  *claimDeliveries(tx, world, id) {
    const endpoint = yield* anEndpoint(tx, world);
    if (endpoint === null) return;
    const claim = world.newClaim();
    world.keepClaim(id, endpoint.id, claim.lease);
    yield* tx.claimDeliveries(endpoint.id, claim);
  },
  *recordAttempts(tx, world, id) {
    const endpoint = yield* anEndpoint(tx, world);
    if (endpoint === null) return;
    if (world.rarely(2)) {
      const claim = { ...world.newClaim(), now: 50, until: 60 };
      world.keepClaim(id, endpoint.id, claim.lease);
      yield* tx.claimDeliveries(endpoint.id, claim);
    }
    const deliveries = yield* tx.listDeliveries(endpoint.id, { before: null, limit: 5 });
    const outcomes = deliveries.map((delivery) => {
      const status = world.one(["pending", "delivered", "failed"] as const);
      return someOutcome(delivery, { status, nextAttemptAt: status === "pending" ? world.time() : null });
    });
    yield* tx.recordAttempts(endpoint.id, world.leaseOf(id, endpoint.id), outcomes, world.time());
  },
  *removeDeliveries(tx, world) {
    const endpoint = yield* anEndpoint(tx, world);
    const before = world.one(world.deliveries).createdAt + world.below(2);
    if (endpoint !== null) yield* tx.removeDeliveries(endpoint.id, before, world.one([1, 2, 100]));
  },
} satisfies Partial<Record<WriteName, Write>>;
