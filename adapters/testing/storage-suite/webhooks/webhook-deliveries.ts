import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { StoredWebhookEndpoint } from "../../../../src/storage/webhooks.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { listIds, someOutcome } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const listAll = (storage: StorageAdapter, acme: SuiteOrganization, endpoint: StoredWebhookEndpoint) =>
  storage.reader(acme.id).listDeliveries(endpoint.id, { before: null, limit: 2_000 });

export const webhookDeliveries: Statements = {
  "attempts are listed by delivery, then by number": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const deliveries = await acme.deliveries(endpoint, [{ nextAttemptAt: 1 }, { nextAttemptAt: 2 }]);
    const attemptsById = new Map(deliveries.map(({ id }) => [id, [] as unknown[]]));
    for (let round = 1; round <= 12; round += 1) {
      const claimed = await acme.claim(endpoint);
      const outcomes = claimed.map((delivery, at) => ({
        attempt: {
          deliveryId: delivery.id,
          number: round,
          startedAt: 1_763_600_000_000 + round,
          duration: round,
          status: at === 0 ? 500 + round : null,
          response: at === 0 ? `no ${round}` : null,
          error: at === 0 ? null : "the connection was refused",
        },
        status: "pending" as const,
        nextAttemptAt: 3,
      }));
      await acme.record(endpoint, outcomes);
      for (const { attempt } of outcomes) attemptsById.get(attempt.deliveryId)?.push(attempt);
    }
    const ids = listIds(deliveries);
    const attempts = await runStep(storage.reader(acme.id).attemptsOf(ids));
    const order = [...new Set(attempts.map(({ deliveryId }) => deliveryId))];
    assert.deepEqual(order.toSorted(), ids.toSorted());
    assert.deepEqual(
      attempts,
      order.flatMap((id) => attemptsById.get(id)),
    );
    for (const id of ids)
      assert.deepEqual(
        await runStep(storage.reader(acme.id).attemptsOf([id, "unknown"])),
        attemptsById.get(id),
      );
    assert.deepEqual(await acme.write((tx) => tx.attemptsOf(ids)), attempts);
    assert.deepEqual(await runStep(storage.reader(acme.id).attemptsOf([])), []);
  },

  "a thousand deliveries can be inserted, claimed, recorded, read and removed in one call each": async (
    storage,
    acme,
  ) => {
    const endpoint = await acme.webhookEndpoint();
    const deliveries = await acme.deliveries(
      endpoint,
      Array.from({ length: 1_000 }, (_, at) => ({ createdAt: at, nextAttemptAt: 1 })),
    );
    assert.deepEqual(listIds(await acme.claim(endpoint, { limit: 1_000 })), listIds(deliveries));
    const outcomes = deliveries.map((delivery) => someOutcome(delivery));
    assert.deepEqual(await acme.record(endpoint, outcomes), listIds(deliveries));
    assert.equal((await runStep(storage.reader(acme.id).attemptsOf(listIds(deliveries)))).length, 1_000);
    assert.deepEqual(listIds(await runStep(listAll(storage, acme, endpoint))), listIds(deliveries).reverse());
    assert.equal(await acme.write((tx) => tx.removeDeliveries(endpoint.id, 1_000, 1_000)), 1_000);
    assert.deepEqual(await runStep(listAll(storage, acme, endpoint)), []);
  },
};
