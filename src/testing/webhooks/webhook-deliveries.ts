import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StorageAdapter } from "../../storage/storage-adapter.js";
import type { StoredDelivery, StoredWebhookEndpoint } from "../../storage/webhooks.js";
import { rowsByAge } from "../kit/age.js";
import type { TestOrganization } from "../kit/organization.js";
import { someDelivery, someEvent, someOutcome, someWebhookEndpoint } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

const all = (storage: StorageAdapter, acme: TestOrganization, endpoint: StoredWebhookEndpoint) =>
  storage.listDeliveries(acme.id, endpoint.id, { before: null, limit: 2_000 });

const idsOf = (deliveries: readonly StoredDelivery[]) => deliveries.map(({ id }) => id);

/** A delivery for each time given, which arrived at the first attempt. */
async function delivered(acme: TestOrganization, endpoint: StoredWebhookEndpoint, times: readonly number[]) {
  const deliveries = await acme.deliveries(
    endpoint,
    times.map((createdAt) => ({ createdAt, nextAttemptAt: 1 })),
  );
  await acme.claim(endpoint);
  await acme.record(
    endpoint,
    deliveries.map((delivery) => someOutcome(delivery)),
  );
  return idsOf(deliveries);
}

export const webhookDeliveries: Statements = {
  "a new delivery is pending and has no attempts": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const [delivery] = await acme.deliveries(endpoint, [
      { eventId: "evt_7", eventType: "pass.created", ownBody: '{"id":7}', createdAt: 5, nextAttemptAt: 9 },
    ]);
    assert.ok(delivery);
    assert.deepEqual(await run(storage.findDelivery(acme.id, delivery.id)), {
      id: delivery.id,
      endpointId: endpoint.id,
      eventId: "evt_7",
      eventType: "pass.created",
      ownBody: '{"id":7}',
      status: "pending",
      attempts: 0,
      nextAttemptAt: 9,
      createdAt: 5,
      updatedAt: 5,
    });
    assert.deepEqual(await run(storage.attemptsOf(acme.id, [delivery.id])), []);
    assert.deepEqual(await acme.write((tx) => tx.findDelivery(acme.id, delivery.id)), delivery);
  },

  "a delivery that is not there is null": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(endpoint, [{}]);
    assert.equal(await run(storage.findDelivery(acme.id, someDelivery(endpoint).id)), null);
  },

  "deliveries can be of an endpoint that is there alone": async (storage, acme) => {
    const endpoint = someWebhookEndpoint();
    await assert.rejects(acme.deliveries(endpoint, [{}]));
    assert.deepEqual(await run(all(storage, acme, endpoint)), []);
  },

  "an event may have several deliveries to one endpoint": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const deliveries = await acme.deliveries(endpoint, [{ eventId: "evt_7" }, { eventId: "evt_7" }]);
    assert.deepEqual(await run(all(storage, acme, endpoint)), deliveries.toReversed());
  },

  "deliveries are listed newest first, by createdAt, then id": async (storage, acme) => {
    const [endpoint, other] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    const deliveries = await rowsByAge(async (fields) => {
      await acme.deliveries(other, [{ createdAt: fields.createdAt }]);
      const [delivery] = await acme.deliveries(endpoint, [fields]);
      assert.ok(delivery);
      return delivery;
    });
    assert.deepEqual(await run(all(storage, acme, endpoint)), deliveries.toReversed());
  },

  "a list of deliveries goes on behind any place": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(
      endpoint,
      [5, 3, 5, 1, 3, 3, 9].map((createdAt) => ({ createdAt })),
    );
    const newestFirst = await run(all(storage, acme, endpoint));
    assert.equal(newestFirst.length, 7);
    for (const limit of [1, 2, 3, 7, 8]) {
      const paged: StoredDelivery[] = [];
      for (;;) {
        const before = paged.at(-1) ?? null;
        const page = await run(storage.listDeliveries(acme.id, endpoint.id, { before, limit }));
        assert.ok(page.length <= limit);
        paged.push(...page);
        if (page.length === 0) break;
      }
      assert.deepEqual(paged, newestFirst);
    }
    const createdBefore = async (createdAt: number, id: string) =>
      idsOf(
        await run(storage.listDeliveries(acme.id, endpoint.id, { before: { createdAt, id }, limit: 10 })),
      );
    assert.deepEqual(await createdBefore(4, "whd"), idsOf(newestFirst.slice(3)));
    assert.deepEqual(await createdBefore(3, ""), idsOf(newestFirst.slice(6)));
    assert.deepEqual(await createdBefore(1, ""), []);
  },

  "deliveries of one status are listed, behind any place": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const rows = await acme.deliveries(
      endpoint,
      [5, 3, 8, 1, 4, 2, 9].map((createdAt) => ({ createdAt, nextAttemptAt: 1 })),
    );
    await acme.claim(endpoint);
    const statusOf = (at: number) => (["pending", "delivered", "failed"] as const)[at % 3] ?? "pending";
    const outcomes = rows.map((row, at) => {
      const status = statusOf(at);
      return someOutcome(row, { status, nextAttemptAt: status === "pending" ? 50 : null });
    });
    await acme.record(endpoint, outcomes);
    const newestFirst = await run(all(storage, acme, endpoint));
    for (const status of ["pending", "delivered", "failed"] as const) {
      const expected = newestFirst.filter((delivery) => delivery.status === status);
      assert.ok(expected.length > 1);
      const list = (before: StoredDelivery | null, limit: number) =>
        storage.listDeliveries(acme.id, endpoint.id, { before, status, limit });
      assert.deepEqual(await run(list(null, 10)), expected);
      assert.deepEqual(await run(list(null, 1)), expected.slice(0, 1));
      assert.deepEqual(await run(list(expected[0] ?? null, 10)), expected.slice(1));
    }
  },

  "deliveries of an endpoint that is not there are none": async (storage, acme) => {
    await acme.deliveries(await acme.webhookEndpoint(), [{}]);
    assert.deepEqual(await run(all(storage, acme, someWebhookEndpoint())), []);
  },

  "attempts are listed by delivery, then by number": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const deliveries = await acme.deliveries(endpoint, [{ nextAttemptAt: 1 }, { nextAttemptAt: 2 }]);
    const made = new Map(deliveries.map(({ id }) => [id, [] as unknown[]]));
    for (let round = 1; round <= 12; round += 1) {
      const claimed = await acme.claim(endpoint);
      const outcomes = claimed.map((delivery, at) => ({
        attempt: {
          deliveryId: delivery.id,
          number: round,
          startedAt: 1_763_600_000_000 + round,
          duration: round,
          status: at === 0 ? 500 + round : null,
          answer: at === 0 ? `no ${round}` : null,
          error: at === 0 ? null : "the connection was refused",
        },
        status: "pending" as const,
        nextAttemptAt: 3,
      }));
      await acme.record(endpoint, outcomes);
      for (const { attempt } of outcomes) made.get(attempt.deliveryId)?.push(attempt);
    }
    const ids = idsOf(deliveries);
    const found = await run(storage.attemptsOf(acme.id, ids));
    const order = [...new Set(found.map(({ deliveryId }) => deliveryId))];
    assert.deepEqual(order.toSorted(), ids.toSorted());
    assert.deepEqual(
      found,
      order.flatMap((id) => made.get(id)),
    );
    for (const id of ids)
      assert.deepEqual(await run(storage.attemptsOf(acme.id, [id, "unknown"])), made.get(id));
    assert.deepEqual(await acme.write((tx) => tx.attemptsOf(acme.id, ids)), found);
    assert.deepEqual(await run(storage.attemptsOf(acme.id, [])), []);
  },

  "a thousand deliveries are inserted, claimed, recorded, read and removed in one call each": async (
    storage,
    acme,
  ) => {
    const endpoint = await acme.webhookEndpoint();
    const deliveries = await acme.deliveries(
      endpoint,
      Array.from({ length: 1_000 }, (_, at) => ({ createdAt: at, nextAttemptAt: 1 })),
    );
    assert.deepEqual(idsOf(await acme.claim(endpoint, { limit: 1_000 })), idsOf(deliveries));
    const outcomes = deliveries.map((delivery) => someOutcome(delivery));
    assert.deepEqual(await acme.record(endpoint, outcomes), idsOf(deliveries));
    assert.equal((await run(storage.attemptsOf(acme.id, idsOf(deliveries)))).length, 1_000);
    assert.deepEqual(idsOf(await run(all(storage, acme, endpoint))), idsOf(deliveries).reverse());
    assert.equal(await acme.write((tx) => tx.removeDeliveries(acme.id, endpoint.id, 1_000, 1_000)), 1_000);
    assert.deepEqual(await run(all(storage, acme, endpoint)), []);
  },

  "deliveries made before a time are removed with their attempts, the others are kept": async (
    storage,
    acme,
  ) => {
    const [endpoint, other] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    const [ids, others] = [await delivered(acme, endpoint, [1, 2, 3, 4]), await delivered(acme, other, [1])];
    const remove = () => acme.write((tx) => tx.removeDeliveries(acme.id, endpoint.id, 3, 100));
    assert.deepEqual([await remove(), await remove()], [2, 0]);
    assert.deepEqual(idsOf(await run(all(storage, acme, endpoint))), ids.slice(2).reverse());
    assert.deepEqual(idsOf(await run(all(storage, acme, other))), others);
    const attempts = await run(storage.attemptsOf(acme.id, [...ids, ...others]));
    assert.deepEqual(
      new Set(attempts.map(({ deliveryId }) => deliveryId)),
      new Set([...ids.slice(2), ...others]),
    );
  },

  "pending deliveries are kept, however old they are; failed ones are not": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const fields = [1, 2, 3, 4].map((createdAt) => ({ createdAt, nextAttemptAt: createdAt }));
    const [failed, retried, claimed, waiting] = await acme.deliveries(endpoint, fields);
    assert.ok(failed && retried && claimed && waiting);
    await acme.claim(endpoint, { limit: 3 });
    await acme.record(endpoint, [
      someOutcome(failed, { status: "failed" }),
      someOutcome(retried, { status: "pending", nextAttemptAt: 30 }),
    ]);
    assert.equal(await acme.write((tx) => tx.removeDeliveries(acme.id, endpoint.id, 100, 100)), 1);
    assert.deepEqual(idsOf(await run(all(storage, acme, endpoint))), idsOf([waiting, claimed, retried]));
  },

  "at most so many deliveries are removed, the oldest first": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(endpoint, [{ createdAt: 0, nextAttemptAt: 99 }]);
    const ids = await delivered(acme, endpoint, [5, 1, 3, 2, 4]);
    const remove = (limit: number) =>
      acme.write((tx) => tx.removeDeliveries(acme.id, endpoint.id, 100, limit));
    assert.equal(await remove(2), 2);
    assert.deepEqual(
      idsOf(await run(all(storage, acme, endpoint))).slice(0, 3),
      [0, 4, 2].map((at) => ids[at]),
    );
    assert.deepEqual([await remove(2), await remove(2), await remove(2)], [2, 1, 0]);
  },

  "what is pending of endpoints is counted, with the time when the first is due": async (storage, acme) => {
    const [endpoint, other] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    await acme.webhookEndpoint();
    const pending = async () => Object.fromEntries(await run(storage.pendingDeliveries(acme.id)));
    assert.deepEqual(await pending(), {});
    const [first, second, third] = await acme.deliveries(
      endpoint,
      [7, 5, 9].map((nextAttemptAt) => ({ nextAttemptAt })),
    );
    assert.ok(first && second && third);
    await acme.deliveries(other, [{ nextAttemptAt: 30 }]);
    const ofOther = { [other.id]: { count: 1, dueAt: 30 } };
    assert.deepEqual(await pending(), { [endpoint.id]: { count: 3, dueAt: 5 }, ...ofOther });
    await acme.claim(endpoint, { limit: 2 });
    assert.deepEqual(await pending(), { [endpoint.id]: { count: 3, dueAt: 9 }, ...ofOther });
    await acme.record(endpoint, [
      someOutcome(first),
      someOutcome(second, { status: "pending", nextAttemptAt: 40 }),
    ]);
    assert.deepEqual(await pending(), { [endpoint.id]: { count: 2, dueAt: 9 }, ...ofOther });
    await acme.claim(endpoint, { lease: "second", now: 40, until: 50 });
    await acme.record(endpoint, [someOutcome(third, { status: "failed" })], "second");
    await acme.record(endpoint, [someOutcome({ ...second, attempts: 1 })], "second");
    assert.deepEqual(await pending(), ofOther);
    await acme.write((tx) => tx.deleteWebhookEndpoint(acme.id, other.id));
    assert.deepEqual(await pending(), {});
  },

  "an event is found by its id": async (storage, acme) => {
    const events = await acme.events([
      { type: "user.created", data: '{"a":1}' },
      { type: "tag.deleted" },
      {},
    ]);
    for (const event of events) assert.deepEqual(await run(storage.eventsById(acme.id, [event.id])), [event]);
    const ids = events.map(({ id }) => id);
    assert.deepEqual(new Set(await run(storage.eventsById(acme.id, [...ids, "evt_none"]))), new Set(events));
    assert.deepEqual(await run(storage.eventsById(acme.id, [])), []);
  },

  "an event that is not in the outbox, or no more, is not found": async (storage, acme) => {
    const [event, kept] = await acme.events([{}, {}]);
    assert.ok(event && kept);
    assert.deepEqual(await run(storage.eventsById(acme.id, [someEvent().id])), []);
    await acme.write((tx) => tx.removeEvents(acme.id, { since: 0, atMost: 1 }, { after: 0, limit: 1 }));
    assert.deepEqual(await run(storage.eventsById(acme.id, [event.id])), []);
    assert.deepEqual(await run(storage.eventsById(acme.id, [kept.id])), [kept]);
  },
};
