import assert from "node:assert/strict";
import { awaitInStep, runStep } from "../../../../src/base/concurrency/step.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import { readTwice, waitBriefly } from "../kit/meanwhile.js";
import type { SuiteOrganization } from "../kit/organization.js";
import { listIds } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** Adds an endpoint with one delivery for each due time. */
async function addEndpointWithDeliveries(acme: SuiteOrganization, dueTimes: readonly number[]) {
  const endpoint = await acme.webhookEndpoint();
  const deliveries = await acme.deliveries(
    endpoint,
    dueTimes.map((nextAttemptAt) => ({ nextAttemptAt })),
  );
  return { endpoint, deliveries };
}

/** Adds an endpoint with one delivery, which is due at 5. */
async function addEndpointWithDelivery(acme: SuiteOrganization) {
  const { endpoint, deliveries } = await addEndpointWithDeliveries(acme, [5]);
  const [delivery] = deliveries;
  assert.ok(delivery);
  return { endpoint, delivery };
}

export const webhookClaims: Statements = {
  "concurrent claims share no delivery and skip none": async (storage, acme) => {
    const { endpoint, deliveries } = await addEndpointWithDeliveries(acme, new Array(20).fill(5));
    const claimOnce = (lease: string, isWaiting: boolean) =>
      storage.transaction(acme.id, function* (tx) {
        const locked = yield* tx.lockWebhookEndpoint(endpoint.id, isWaiting);
        if (locked === null) return [];
        return yield* tx.claimDeliveries(endpoint.id, { lease, now: 10, until: 20, limit: 3 });
      });
    const claimConcurrently = (isWaiting: boolean) =>
      Promise.all(Array.from({ length: 8 }, (_, at) => claimOnce(`${isWaiting} ${at}`, isWaiting)));
    const withoutWaiting = listIds((await claimConcurrently(false)).flat());
    const withWaiting = listIds((await claimConcurrently(true)).flat());
    const claimed = [...withoutWaiting, ...withWaiting];
    assert.ok(withoutWaiting.length >= 3);
    assert.deepEqual(claimed.toSorted(), listIds(deliveries).sort());
  },

  "a locked endpoint doesn't change until the transaction ends": async (storage, acme) => {
    const { endpoint } = await addEndpointWithDelivery(acme);
    const [before, after] = await readTwice<StorageTransaction, unknown>(
      (work) => storage.transaction(acme.id, work),
      function* (tx) {
        return [
          yield* tx.lockWebhookEndpoint(endpoint.id, true),
          yield* tx.listDeliveries(endpoint.id, { before: null, limit: 10 }),
        ];
      },
      () =>
        acme.write(function* (tx) {
          const locked = yield* tx.lockWebhookEndpoint(endpoint.id, true);
          assert.deepEqual(locked, endpoint);
          yield* tx.updateWebhookEndpoint({ ...endpoint, description: "changed" });
          yield* acme.withTransaction(tx).claim(endpoint);
        }),
    );
    assert.deepEqual(after, before);
    assert.equal(
      (await runStep(storage.reader(acme.id).findWebhookEndpoint(endpoint.id)))?.description,
      "changed",
    );
  },

  "locking an endpoint that another transaction has locked returns null, or waits and returns the endpoint":
    async (storage, acme) => {
      const { endpoint } = await addEndpointWithDelivery(acme);
      const changedEndpoint = { ...endpoint, description: "changed" };
      let concurrentRead: Promise<unknown> = Promise.resolve();
      await storage.transaction(acme.id, function* (tx) {
        yield* tx.lockWebhookEndpoint(endpoint.id, true);
        concurrentRead = acme.write((other) => other.lockWebhookEndpoint(endpoint.id, false));
        yield* awaitInStep(waitBriefly(concurrentRead));
        yield* tx.updateWebhookEndpoint(changedEndpoint);
      });
      const lockedEndpoint = await concurrentRead;
      if (lockedEndpoint !== null) assert.deepEqual(lockedEndpoint, changedEndpoint);
      const free = await acme.write((tx) => tx.lockWebhookEndpoint(endpoint.id, false));
      assert.deepEqual(free, changedEndpoint);
    },
};
