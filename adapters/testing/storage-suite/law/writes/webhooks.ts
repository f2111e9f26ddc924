import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { type StoredWebhookEndpoint, webhookEndpointRecord } from "../../../../../src/storage/webhooks.js";
import { someDelivery, someOutcome, someWebhookEndpoint } from "../../kit/records.js";
import type { World } from "../world.js";
import { chooseRow, createOrShareRow, type Write, type WriteName } from "./choosing.js";

/** Returns fields for an endpoint. The fields that describe its disabled state are consistent with each other. */
function createEndpointFields(world: World): Partial<StoredWebhookEndpoint> {
  const disabledReason = world.oneIn(2) ? null : world.pickOne(["requested", "gone", "failing"] as const);
  const isEnabled = disabledReason === null;
  return {
    ...world.createFields(webhookEndpointRecord),
    disabledReason,
    disabledAt: isEnabled ? null : world.time(),
    lastPosition: isEnabled ? null : world.orNull(world.randomBelow(6)),
  };
}

const pickEndpoint = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.endpoints, (endpoint) => tx.lockWebhookEndpoint(endpoint.id, true));

export const webhookWrites = {
  *insertWebhookEndpoint(tx, world) {
    const isStored = function* (row: { id: string }) {
      return (yield* tx.findWebhookEndpoint(row.id)) !== null;
    };
    const endpoint = yield* createOrShareRow(world, world.endpoints, isStored, () =>
      someWebhookEndpoint({ ...createEndpointFields(world), id: world.id() }),
    );
    yield* tx.insertWebhookEndpoint(world.track(world.endpoints, endpoint));
  },
  lockWebhookEndpoint: (tx, world) =>
    tx.lockWebhookEndpoint(world.pickOne(world.endpoints).id, world.oneIn(2)),
  *updateWebhookEndpoint(tx, world) {
    const { id: endpointId } = world.pickOne(world.endpoints);
    yield* tx.lockWebhookEndpoint(endpointId, true);
    const fields = { ...createEndpointFields(world), id: endpointId };
    yield* tx.updateWebhookEndpoint(someWebhookEndpoint(fields));
  },
  *deleteWebhookEndpoint(tx, world) {
    const { id: endpointId } = world.pickOne(world.endpoints);
    yield* tx.lockWebhookEndpoint(endpointId, true);
    yield* tx.deleteWebhookEndpoint(endpointId);
  },
  *insertDeliveries(tx, world) {
    const endpoint = yield* pickEndpoint(tx, world);
    if (endpoint === null) return;
    const deliveries = Array.from({ length: 1 + world.randomBelow(3) }, () =>
      someDelivery(endpoint, {
        id: world.id(),
        eventId: world.pickOne(world.events).id,
        eventPosition: world.orNull(1 + world.randomBelow(6)),
        customBody: world.orNull('{"by":"ada"}'),
        // Times rarely collide, because a storage may remove either of two deliveries with equal times first.
        createdAt: world.randomBelow(2 ** 30),
        nextAttemptAt: world.time(),
      }),
    );
    for (const delivery of deliveries) world.track(world.deliveries, delivery);
    yield* tx.insertDeliveries(endpoint.id, deliveries);
  },
  *claimDeliveries(tx, world, id) {
    const endpoint = yield* pickEndpoint(tx, world);
    if (endpoint === null) return;
    const claim = world.createClaim();
    world.trackClaim(id, endpoint.id, claim.lease);
    yield* tx.claimDeliveries(endpoint.id, claim);
  },
  *recordAttempts(tx, world, id) {
    const endpoint = yield* pickEndpoint(tx, world);
    if (endpoint === null) return;
    if (world.oneIn(2)) {
      const claim = { ...world.createClaim(), now: 50, until: 60 };
      world.trackClaim(id, endpoint.id, claim.lease);
      yield* tx.claimDeliveries(endpoint.id, claim);
    }
    const deliveries = yield* tx.listDeliveries(endpoint.id, { before: null, limit: 5 });
    const outcomes = deliveries.map((delivery) => {
      const status = world.pickOne(["pending", "delivered", "failed"] as const);
      return someOutcome(delivery, { status, nextAttemptAt: status === "pending" ? world.time() : null });
    });
    yield* tx.recordAttempts(endpoint.id, world.findLease(id, endpoint.id), outcomes, world.time());
  },
  *removeDeliveries(tx, world) {
    const endpoint = yield* pickEndpoint(tx, world);
    const before = world.pickOne(world.deliveries).createdAt + world.randomBelow(2);
    if (endpoint !== null) yield* tx.removeDeliveries(endpoint.id, before, world.pickOne([1, 2, 100]));
  },
} satisfies Partial<Record<WriteName, Write>>;
