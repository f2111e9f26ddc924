import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StorageReader, StorageTransaction } from "../../storage/storage-adapter.js";
import { rowsByAge } from "../kit/age.js";
import { someOutcome, someWebhookEndpoint } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** A value for every field that may change. */
const changes = {
  url: "https://new.example/",
  description: "New",
  types: ["tag.deleted"],
  secret: "whsec_bmV3",
  previousSecret: "whsec_b2xk",
  previousSecretExpiresAt: 1_763_600_000_001,
  disabledReason: "failing",
  disabledAt: 1_763_600_000_002,
  failingSince: 1_763_600_000_003,
  position: 1_763_600_000_004,
  lastPosition: 1_763_600_000_005,
  slowSince: 1_763_600_000_006,
  updatedAt: 1_763_600_000_005,
} as const;

export const webhookEndpoints: Statements = {
  "a webhook endpoint is found by its id": async (storage, acme) => {
    const [plain, full] = [await acme.webhookEndpoint(), await acme.webhookEndpoint(changes)];
    for (const endpoint of [plain, full]) {
      const find = (reader: StorageReader) => reader.findWebhookEndpoint(acme.id, endpoint.id);
      assert.deepEqual(await run(find(storage)), endpoint);
      assert.deepEqual(await acme.write(find), endpoint);
    }
  },

  "types come back in their order; null stays null": async (storage, acme) => {
    for (const types of [["b", "a", "c"], ["one"], [], null, ['with "quotes", commas', "and spaces "]]) {
      const endpoint = await acme.webhookEndpoint({ types });
      assert.deepEqual((await run(storage.findWebhookEndpoint(acme.id, endpoint.id)))?.types, types);
    }
  },

  "every reason to disable an endpoint comes back": async (storage, acme) => {
    for (const disabledReason of ["requested", "gone", "failing"] as const) {
      const endpoint = await acme.webhookEndpoint({ disabledReason, disabledAt: 7 });
      assert.deepEqual(await run(storage.findWebhookEndpoint(acme.id, endpoint.id)), endpoint);
    }
  },

  "a webhook endpoint that is not there is null, also to lock": async (storage, acme) => {
    await acme.webhookEndpoint();
    const { id } = someWebhookEndpoint();
    assert.equal(await run(storage.findWebhookEndpoint(acme.id, id)), null);
    for (const isWaiting of [true, false]) {
      assert.equal(await acme.write((tx) => tx.lockWebhookEndpoint(acme.id, id, isWaiting)), null);
    }
  },

  "webhook endpoints are listed oldest first, by createdAt, then id": async (storage, acme) => {
    const endpoints = await rowsByAge((fields) => acme.webhookEndpoint(fields));
    assert.deepEqual(await run(storage.listWebhookEndpoints(acme.id)), endpoints);
  },

  "webhook endpoints of an organization without any are none": async (storage, acme) => {
    await acme.tag();
    assert.deepEqual(await run(storage.listWebhookEndpoints(acme.id)), []);
  },

  "updateWebhookEndpoint replaces the endpoint, but not its createdAt": async (storage, acme) => {
    const [endpoint, other] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    const changed = { id: endpoint.id, ...changes, createdAt: endpoint.createdAt };
    for (const next of [changed, endpoint]) {
      const update = { ...next, createdAt: 1 };
      assert.equal(await acme.write((tx) => tx.updateWebhookEndpoint(acme.id, update)), true);
      assert.deepEqual(await run(storage.listWebhookEndpoints(acme.id)), [next, other]);
    }
  },

  "updateWebhookEndpoint is false when there is no such endpoint": async (storage, acme) => {
    const update = (tx: StorageTransaction) => tx.updateWebhookEndpoint(acme.id, someWebhookEndpoint());
    assert.equal(await acme.write(update), false);
    assert.deepEqual(await run(storage.listWebhookEndpoints(acme.id)), []);
  },

  "lockWebhookEndpoint gives the endpoint as it is, with what the transaction did to it": async (
    _storage,
    acme,
  ) => {
    const endpoint = await acme.webhookEndpoint();
    for (const isWaiting of [true, false]) {
      const changed = { ...endpoint, description: `${isWaiting}`, position: 7 };
      await acme.write(function* (tx) {
        assert.notDeepEqual(yield* tx.lockWebhookEndpoint(acme.id, endpoint.id, isWaiting), changed);
        yield* tx.updateWebhookEndpoint(acme.id, changed);
        assert.deepEqual(yield* tx.lockWebhookEndpoint(acme.id, endpoint.id, isWaiting), changed);
      });
    }
  },

  "deleteWebhookEndpoint removes the endpoint": async (storage, acme) => {
    const [endpoint, other] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    const remove = () => acme.write((tx) => tx.deleteWebhookEndpoint(acme.id, endpoint.id));
    assert.deepEqual([await remove(), await remove()], [true, false]);
    assert.equal(await run(storage.findWebhookEndpoint(acme.id, endpoint.id)), null);
    assert.deepEqual(await run(storage.listWebhookEndpoints(acme.id)), [other]);
  },

  "deleteWebhookEndpoint removes its deliveries and their attempts": async (storage, acme) => {
    const [endpoint, other] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    const delivered = [];
    for (const one of [endpoint, other]) {
      const [first, second] = await acme.deliveries(one, [{ nextAttemptAt: 1 }, { nextAttemptAt: 2 }]);
      assert.ok(first && second);
      await acme.claim(one);
      await acme.record(one, [someOutcome(first)]);
      delivered.push(first.id, second.id);
    }
    await acme.write((tx) => tx.deleteWebhookEndpoint(acme.id, endpoint.id));
    assert.deepEqual(
      await run(storage.listDeliveries(acme.id, endpoint.id, { before: null, limit: 10 })),
      [],
    );
    const found = await Promise.all(delivered.map((id) => run(storage.findDelivery(acme.id, id))));
    assert.deepEqual(
      found.map((delivery) => delivery?.endpointId),
      [undefined, undefined, other.id, other.id],
    );
    const attempts = await run(storage.attemptsOf(acme.id, delivered));
    assert.deepEqual(
      attempts.map(({ deliveryId }) => deliveryId),
      delivered.slice(2, 3),
    );
  },

  "an endpoint made anew with the id of a deleted one has no deliveries": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(endpoint, [{ nextAttemptAt: 1 }]);
    await acme.write(function* (tx) {
      yield* tx.deleteWebhookEndpoint(acme.id, endpoint.id);
      yield* tx.insertWebhookEndpoint(acme.id, endpoint);
    });
    assert.deepEqual(
      await run(storage.listDeliveries(acme.id, endpoint.id, { before: null, limit: 10 })),
      [],
    );
    assert.deepEqual(await run(storage.endpointsToServe(10, 10, 0)), []);
    assert.deepEqual(await acme.claim(endpoint), []);
  },
};
