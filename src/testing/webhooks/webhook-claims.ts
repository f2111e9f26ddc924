import assert from "node:assert/strict";
import { run, wait } from "../../concurrency/step.js";
import type { StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredDelivery, StoredWebhookEndpoint } from "../../storage/webhooks.js";
import { endedOrWaiting, lookTwice } from "../kit/meanwhile.js";
import type { TestOrganization } from "../kit/organization.js";
import { someOutcome } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const idsOf = (deliveries: readonly StoredDelivery[]) => deliveries.map(({ id }) => id);

/** An endpoint with a delivery for each time that one is due. */
async function endpointWith(acme: TestOrganization, dueTimes: readonly number[]) {
  const endpoint = await acme.webhookEndpoint();
  const deliveries = await acme.deliveries(
    endpoint,
    dueTimes.map((nextAttemptAt) => ({ nextAttemptAt })),
  );
  return { endpoint, deliveries };
}

/** An endpoint with one delivery, which is due at 5. */
async function endpointWithOne(acme: TestOrganization) {
  const { endpoint, deliveries } = await endpointWith(acme, [5]);
  const [delivery] = deliveries;
  assert.ok(delivery);
  return { endpoint, delivery };
}

export const webhookClaims: Statements = {
  "deliveries are claimed when they are due": async (_storage, acme) => {
    const { endpoint, deliveries } = await endpointWith(acme, [11, 10, 9, 12]);
    assert.deepEqual(idsOf(await acme.claim(endpoint, { now: 8 })), []);
    assert.deepEqual(
      idsOf(await acme.claim(endpoint, { now: 10 })),
      [2, 1].map((at) => deliveries[at]?.id),
    );
    assert.deepEqual(idsOf(await acme.claim(endpoint, { now: 11 })), [deliveries[0]?.id]);
  },

  "those that have been due longest are claimed first, by nextAttemptAt, then id": async (_storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const rows = [
      { id: "c", nextAttemptAt: 5 },
      { id: "b", nextAttemptAt: 3 },
      { id: "a", nextAttemptAt: 5 },
      { id: "e", nextAttemptAt: 1 },
      { id: "d", nextAttemptAt: 5 },
    ];
    await acme.deliveries(endpoint, rows);
    const claimed = [];
    for (const limit of [2, 2, 2, 2]) claimed.push(idsOf(await acme.claim(endpoint, { limit })));
    assert.deepEqual(claimed, [["e", "b"], ["a", "c"], ["d"], []]);
  },

  "a claimed delivery has the end of the claim as its nextAttemptAt, and is otherwise as it was": async (
    storage,
    acme,
  ) => {
    const { endpoint, delivery } = await endpointWithOne(acme);
    const claimed = { ...delivery, nextAttemptAt: 20 };
    assert.deepEqual(await acme.claim(endpoint), [claimed]);
    assert.deepEqual(await run(storage.findDelivery(acme.id, delivery.id)), claimed);
  },

  "a claimed delivery is due again when the claim ends, not before": async (_storage, acme) => {
    const { endpoint, delivery } = await endpointWithOne(acme);
    await acme.claim(endpoint, { now: 10, until: 20 });
    assert.deepEqual(await acme.claim(endpoint, { lease: "second", now: 19, until: 40 }), []);
    assert.deepEqual(idsOf(await acme.claim(endpoint, { lease: "third", now: 20, until: 30 })), [
      delivery.id,
    ]);
    assert.deepEqual(await acme.claim(endpoint, { lease: "fourth", now: 29, until: 40 }), []);
  },

  "a claim takes deliveries of its endpoint alone": async (_storage, acme) => {
    const [{ endpoint, delivery }, other] = [await endpointWithOne(acme), await endpointWithOne(acme)];
    assert.deepEqual(idsOf(await acme.claim(endpoint)), [delivery.id]);
    assert.deepEqual(idsOf(await acme.claim(other.endpoint)), [other.delivery.id]);
  },

  "a recorded success ends the delivery": async (storage, acme) => {
    const { endpoint, delivery } = await endpointWithOne(acme);
    await acme.claim(endpoint);
    const outcome = someOutcome(delivery);
    assert.deepEqual(await acme.record(endpoint, [outcome], "first", 15), [delivery.id]);
    const after = { ...delivery, status: "delivered", attempts: 1, nextAttemptAt: null, updatedAt: 15 };
    assert.deepEqual(await run(storage.findDelivery(acme.id, delivery.id)), after);
    assert.deepEqual(await run(storage.attemptsOf(acme.id, [delivery.id])), [outcome.attempt]);
    assert.deepEqual(await acme.claim(endpoint, { now: Number.MAX_SAFE_INTEGER }), []);
  },

  "a recorded failure leaves the delivery pending until its next attempt, or ends it": async (
    storage,
    acme,
  ) => {
    const { endpoint, delivery } = await endpointWithOne(acme);
    await acme.claim(endpoint);
    await acme.record(endpoint, [someOutcome(delivery, { status: "pending", nextAttemptAt: 50 })]);
    const waiting = { ...delivery, attempts: 1, nextAttemptAt: 50, updatedAt: 15 };
    assert.deepEqual(await run(storage.findDelivery(acme.id, delivery.id)), waiting);
    assert.deepEqual(await acme.claim(endpoint, { lease: "second", now: 49, until: 70 }), []);
    const again = await acme.claim(endpoint, { lease: "second", now: 50, until: 70 });
    assert.deepEqual(again, [{ ...waiting, nextAttemptAt: 70 }]);
    await acme.record(endpoint, [someOutcome(waiting, { status: "failed" })], "second", 60);
    const failed = { ...waiting, status: "failed", attempts: 2, nextAttemptAt: null, updatedAt: 60 };
    assert.deepEqual(await run(storage.findDelivery(acme.id, delivery.id)), failed);
    const attempts = await run(storage.attemptsOf(acme.id, [delivery.id]));
    assert.deepEqual(
      attempts.map(({ number }) => number),
      [1, 2],
    );
    assert.deepEqual(await acme.claim(endpoint, { now: Number.MAX_SAFE_INTEGER }), []);
  },

  "recordAttempts tells the recorded ones in the order given": async (_storage, acme) => {
    const { endpoint, deliveries } = await endpointWith(acme, [1, 2, 3, 4, 11]);
    await acme.claim(endpoint);
    const outcomes = [3, 0, 4, 2, 1].flatMap((at) => deliveries[at] ?? []).map((row) => someOutcome(row));
    const recorded = await acme.record(endpoint, outcomes);
    assert.deepEqual(
      recorded,
      [3, 0, 2, 1].map((at) => deliveries[at]?.id),
    );
  },

  "nothing is recorded where the lease is not that of the claim": async (storage, acme) => {
    const { endpoint, delivery } = await endpointWithOne(acme);
    const other = await acme.webhookEndpoint();
    const outcomes = [someOutcome(delivery)];
    const expectNothing = async (ofEndpoint: StoredWebhookEndpoint, lease: string) => {
      const before = await run(storage.findDelivery(acme.id, delivery.id));
      assert.deepEqual(await acme.record(ofEndpoint, outcomes, lease), []);
      assert.deepEqual(await run(storage.findDelivery(acme.id, delivery.id)), before);
      assert.deepEqual(await run(storage.attemptsOf(acme.id, [delivery.id])), []);
    };
    await expectNothing(endpoint, "first");
    await acme.claim(endpoint);
    await expectNothing(endpoint, "second");
    await expectNothing(endpoint, "FIRST");
    await expectNothing(other, "first");
    assert.deepEqual(await acme.record(endpoint, outcomes), [delivery.id]);
  },

  "nothing is recorded under a claim whose place another has taken": async (storage, acme) => {
    const { endpoint, delivery } = await endpointWithOne(acme);
    await acme.claim(endpoint, { lease: "dead", until: 20 });
    await acme.claim(endpoint, { lease: "second", now: 20, until: 40 });
    assert.deepEqual(await acme.record(endpoint, [someOutcome(delivery)], "dead"), []);
    assert.equal((await run(storage.findDelivery(acme.id, delivery.id)))?.nextAttemptAt, 40);
    assert.deepEqual(await acme.record(endpoint, [someOutcome(delivery)], "second"), [delivery.id]);
  },

  "a claim to a delivery ends when an attempt is recorded, not those to others": async (storage, acme) => {
    const { endpoint, deliveries } = await endpointWith(acme, [1, 2]);
    const [first, second] = deliveries;
    assert.ok(first && second);
    await acme.claim(endpoint);
    const retry = someOutcome(first, { status: "pending", nextAttemptAt: 16 });
    assert.deepEqual(await acme.record(endpoint, [retry]), [first.id]);
    const again = someOutcome({ ...first, attempts: 1 });
    assert.deepEqual(await acme.record(endpoint, [again, someOutcome(second)]), [second.id]);
    assert.equal((await run(storage.attemptsOf(acme.id, [first.id]))).length, 1);
    assert.deepEqual(idsOf(await acme.claim(endpoint, { lease: "second", now: 16 })), [first.id]);
  },

  "claims made at once share no delivery and leave none out": async (storage, acme) => {
    const { endpoint, deliveries } = await endpointWith(acme, new Array(20).fill(5));
    const claimOnce = (lease: string, isWaiting: boolean) =>
      storage.transaction(function* (tx) {
        const locked = yield* tx.lockWebhookEndpoint(acme.id, endpoint.id, isWaiting);
        if (locked === null) return [];
        return yield* tx.claimDeliveries(acme.id, endpoint.id, { lease, now: 10, until: 20, limit: 3 });
      });
    const claimAtOnce = (isWaiting: boolean) =>
      Promise.all(Array.from({ length: 8 }, (_, at) => claimOnce(`${isWaiting} ${at}`, isWaiting)));
    const unwaited = idsOf((await claimAtOnce(false)).flat());
    const waited = idsOf((await claimAtOnce(true)).flat());
    const claimed = [...unwaited, ...waited];
    assert.ok(unwaited.length >= 3);
    assert.deepEqual(claimed.toSorted(), idsOf(deliveries).sort());
  },

  "a locked endpoint stays as it is until the transaction ends": async (storage, acme) => {
    const { endpoint } = await endpointWithOne(acme);
    const [before, after] = await lookTwice<StorageTransaction, unknown>(
      (work) => storage.transaction(work),
      function* (tx) {
        return [
          yield* tx.lockWebhookEndpoint(acme.id, endpoint.id, true),
          yield* tx.listDeliveries(acme.id, endpoint.id, { before: null, limit: 10 }),
        ];
      },
      () =>
        acme.write(function* (tx) {
          const locked = yield* tx.lockWebhookEndpoint(acme.id, endpoint.id, true);
          assert.deepEqual(locked, endpoint);
          yield* tx.updateWebhookEndpoint(acme.id, { ...endpoint, description: "changed" });
          yield* acme.within(tx).claim(endpoint);
        }),
    );
    assert.deepEqual(after, before);
    assert.equal((await run(storage.findWebhookEndpoint(acme.id, endpoint.id)))?.description, "changed");
  },

  "an endpoint that another transaction has locked is null, or is had when that has ended": async (
    storage,
    acme,
  ) => {
    const { endpoint } = await endpointWithOne(acme);
    const changed = { ...endpoint, description: "changed" };
    let meanwhile: Promise<unknown> = Promise.resolve();
    await storage.transaction(function* (tx) {
      yield* tx.lockWebhookEndpoint(acme.id, endpoint.id, true);
      meanwhile = acme.write((other) => other.lockWebhookEndpoint(acme.id, endpoint.id, false));
      yield* wait(endedOrWaiting(meanwhile));
      yield* tx.updateWebhookEndpoint(acme.id, changed);
    });
    const found = await meanwhile;
    if (found !== null) assert.deepEqual(found, changed);
    const free = await acme.write((tx) => tx.lockWebhookEndpoint(acme.id, endpoint.id, false));
    assert.deepEqual(free, changed);
  },
};
