import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredWebhookEndpoint } from "../../storage/webhooks.js";
import { sentencesOf } from "../kit/kind.js";
import { TestOrganization } from "../kit/organization.js";
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
  ...sentencesOf<StoredWebhookEndpoint>({
    one: "a webhook endpoint",
    add: (acme, fields) => acme.webhookEndpoint(fields),
    unknown: someWebhookEndpoint,
    samples: [
      changes,
      { disabledReason: "requested", disabledAt: 7 },
      { disabledReason: "gone", disabledAt: 7 },
    ],
    finds: [
      (storage, acme, { id }) => run(storage.findWebhookEndpoint(acme.id, id)),
      (_storage, acme, { id }) => acme.write((tx) => tx.findWebhookEndpoint(acme.id, id)),
    ],
    list: (storage, acme) => run(storage.listWebhookEndpoints(acme.id)),
    changes: [
      changes,
      { ...changes, types: null, disabledReason: null, disabledAt: null, lastPosition: null },
    ],
    stays: { createdAt: 1 },
    update: (tx, id, endpoint) => tx.updateWebhookEndpoint(id, endpoint),
    remove: (tx, id, endpoint) => tx.deleteWebhookEndpoint(id, endpoint.id),
  }),

  "types come back in their order; null stays null": async (storage, acme) => {
    for (const types of [["b", "a", "c"], ["one"], [], null, ['with "quotes", commas', "and spaces "]]) {
      const endpoint = await acme.webhookEndpoint({ types });
      assert.deepEqual((await run(storage.findWebhookEndpoint(acme.id, endpoint.id)))?.types, types);
    }
  },

  "the endpoints of all organizations are given part by part, by organization, then id": async (
    storage,
    acme,
  ) => {
    const globex = new TestOrganization(storage, "globex");
    const [c, a] = [await acme.webhookEndpoint({ id: "c" }), await acme.webhookEndpoint({ id: "a" })];
    const [d, b] = [await globex.webhookEndpoint({ id: "d" }), await globex.webhookEndpoint({ id: "b" })];
    const owned = [
      { organizationId: "acme", endpoint: a },
      { organizationId: "acme", endpoint: c },
      { organizationId: "globex", endpoint: b },
      { organizationId: "globex", endpoint: d },
    ];
    assert.deepEqual(await run(storage.webhookEndpointsBehind(null, 10)), owned);
    assert.deepEqual(await run(storage.webhookEndpointsBehind(null, 3)), owned.slice(0, 3));
    const behindC = { organizationId: "acme", endpointId: "c" };
    assert.deepEqual(await run(storage.webhookEndpointsBehind(behindC, 10)), owned.slice(2));
    const behindD = { organizationId: "globex", endpointId: "d" };
    assert.deepEqual(await run(storage.webhookEndpointsBehind(behindD, 10)), []);
  },

  "a webhook endpoint that is not there is null, also to lock": async (storage, acme) => {
    await acme.webhookEndpoint();
    const { id } = someWebhookEndpoint();
    assert.equal(await run(storage.findWebhookEndpoint(acme.id, id)), null);
    for (const isWaiting of [true, false]) {
      assert.equal(await acme.write((tx) => tx.lockWebhookEndpoint(acme.id, id, isWaiting)), null);
    }
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
