import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import { TestOrganization } from "../kit/organization.js";
import { someOutcome } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

/** The ids of the endpoints with work. */
const served = function* (storage: StorageReader, now: number, limit = 100) {
  return (yield* storage.endpointsToServe(now, limit, 0)).map(({ endpointId }) => endpointId);
};

export const webhookWork: Statements = {
  "an endpoint is served when a delivery is due, not before": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.webhookEndpoint();
    assert.deepEqual(await run(served(storage, 100)), []);
    await acme.deliveries(endpoint, [{ nextAttemptAt: 7 }, { nextAttemptAt: 5 }, { nextAttemptAt: 6 }]);
    assert.deepEqual(await run(served(storage, 4)), []);
    assert.deepEqual(await run(served(storage, 5)), [endpoint.id]);
    await acme.deliveries(endpoint, [{ nextAttemptAt: 8 }]);
    assert.deepEqual([await run(served(storage, 4)), await run(served(storage, 5))], [[], [endpoint.id]]);
    await acme.deliveries(endpoint, [{ nextAttemptAt: 3 }]);
    assert.deepEqual([await run(served(storage, 2)), await run(served(storage, 3))], [[], [endpoint.id]]);
  },

  "a claimed delivery is no work until the claim ends": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(endpoint, [{ nextAttemptAt: 5 }, { nextAttemptAt: 6 }]);
    await acme.claim(endpoint, { limit: 1 });
    assert.deepEqual([await run(served(storage, 5)), await run(served(storage, 6))], [[], [endpoint.id]]);
    await acme.claim(endpoint);
    assert.deepEqual([await run(served(storage, 19)), await run(served(storage, 20))], [[], [endpoint.id]]);
  },

  "a recorded delivery is no work, or is from its next attempt on": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const [first, second] = await acme.deliveries(endpoint, [{ nextAttemptAt: 5 }, { nextAttemptAt: 6 }]);
    assert.ok(first && second);
    await acme.claim(endpoint);
    await acme.record(endpoint, [someOutcome(first, { status: "pending", nextAttemptAt: 18 })]);
    assert.deepEqual([await run(served(storage, 17)), await run(served(storage, 18))], [[], [endpoint.id]]);
    await acme.claim(endpoint, { lease: "second", now: 18, until: 30, limit: 1 });
    await acme.record(endpoint, [someOutcome(second)]);
    assert.deepEqual([await run(served(storage, 29)), await run(served(storage, 30))], [[], [endpoint.id]]);
    await acme.record(endpoint, [someOutcome({ ...first, attempts: 1 })], "second");
    assert.deepEqual(await run(served(storage, Number.MAX_SAFE_INTEGER)), []);
  },

  "an endpoint is served while its position is below the newest one of the outbox": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    const ahead = await acme.webhookEndpoint({ position: 2 });
    await acme.events([{}, {}]);
    assert.deepEqual(await run(served(storage, 0)), [endpoint.id]);
    const moveTo = (position: number) =>
      acme.write((tx) => tx.updateWebhookEndpoint(acme.id, { ...endpoint, position }));
    await moveTo(1);
    assert.deepEqual(await run(served(storage, 0)), [endpoint.id]);
    await moveTo(2);
    assert.deepEqual(await run(served(storage, 0)), []);
    await acme.events([{}]);
    assert.deepEqual(new Set(await run(served(storage, 0))), new Set([endpoint.id, ahead.id]));
    await acme.write((tx) => tx.removeEvents(acme.id, { since: 0, atMost: 0 }, { after: 0, limit: 10 }));
    assert.deepEqual(new Set(await run(served(storage, 0))), new Set([endpoint.id, ahead.id]));
  },

  "a transaction sees the work that it makes": async (storage, acme) => {
    const [endpoint, other] = [await acme.webhookEndpoint(), await acme.webhookEndpoint({ position: 9 })];
    await storage.transaction(function* (tx) {
      yield* acme.within(tx).events([{}]);
      assert.deepEqual(yield* served(tx, 5), [endpoint.id]);
      yield* acme.within(tx).deliveries(other, [{ nextAttemptAt: 5 }]);
      assert.deepEqual(yield* served(tx, 5), [other.id, endpoint.id]);
    });
  },

  "a disabled endpoint is not served, an enabled one is again": async (storage, acme) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(endpoint, [{ nextAttemptAt: 5 }]);
    await acme.events([{}]);
    for (const disabledReason of ["requested", "gone", "failing"] as const) {
      const disabled = { ...endpoint, disabledReason, disabledAt: 7 };
      await acme.write((tx) => tx.updateWebhookEndpoint(acme.id, disabled));
      assert.deepEqual(await run(served(storage, 10)), []);
    }
    await acme.write((tx) => tx.updateWebhookEndpoint(acme.id, endpoint));
    assert.deepEqual(await run(served(storage, 10)), [endpoint.id]);
  },

  "a disabled endpoint is served while its position is below the last one that it gets": async (
    storage,
    acme,
  ) => {
    const endpoint = await acme.webhookEndpoint();
    await acme.deliveries(endpoint, [{ nextAttemptAt: 5 }]);
    await acme.events([{}, {}, {}]);
    const disabled = { ...endpoint, disabledReason: "gone" as const, disabledAt: 7, lastPosition: 2 };
    const moveTo = (position: number) =>
      acme.write((tx) => tx.updateWebhookEndpoint(acme.id, { ...disabled, position }));
    await moveTo(1);
    assert.deepEqual(await run(served(storage, 10)), [endpoint.id]);
    await moveTo(2);
    assert.deepEqual(await run(served(storage, 10)), []);
  },

  "an endpoint without a due delivery is left out when its organization has no news": async (
    storage,
    acme,
  ) => {
    const globex = new TestOrganization(storage, "globex");
    const [behind, due] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    const other = await globex.webhookEndpoint();
    const minute = 60_000;
    await acme.events([{ createdAt: 9 * minute + 7 }, { createdAt: 3 * minute }]);
    await globex.events([{ createdAt: 12 * minute }]);
    await acme.deliveries(due, [{ nextAttemptAt: 5 }]);
    const servedSince = async (since: number) =>
      new Set((await run(storage.endpointsToServe(10, 100, since))).map(({ endpointId }) => endpointId));
    assert.deepEqual(await servedSince(9 * minute), new Set([due.id, behind.id, other.id]));
    assert.deepEqual(await servedSince(9 * minute + 8), new Set([due.id, behind.id, other.id]));
    assert.deepEqual(await servedSince(10 * minute), new Set([due.id, other.id]));
    assert.deepEqual(await servedSince(13 * minute), new Set([due.id]));
  },

  "an endpoint that failed or was slow the last time is told to be troubled": async (storage, acme) => {
    const endpoints = [
      await acme.webhookEndpoint({ failingSince: 3 }),
      await acme.webhookEndpoint({ slowSince: 4 }),
      await acme.webhookEndpoint(),
      await acme.webhookEndpoint({ failingSince: 3, slowSince: 5 }),
    ];
    for (const [at, endpoint] of endpoints.slice(0, 3).entries()) {
      await acme.deliveries(endpoint, [{ nextAttemptAt: at }]);
    }
    await acme.events([{}]);
    const found = await run(storage.endpointsToServe(10, 10, 0));
    assert.deepEqual(
      found.map(({ endpointId, isTroubled }) => [endpointId, isTroubled]),
      endpoints.map(({ id }, at) => [id, at !== 2]),
    );
  },

  "endpoints of all organizations are served, each once": async (storage, acme) => {
    const organizations = [
      acme,
      new TestOrganization(storage, "globex"),
      new TestOrganization(storage, "initech"),
    ];
    const expected = [];
    for (const [at, organization] of organizations.entries()) {
      const endpoint = await organization.webhookEndpoint();
      await organization.deliveries(endpoint, [{ nextAttemptAt: 9 - at }, { nextAttemptAt: 9 - at }]);
      await organization.events([{}]);
      expected.unshift({ organizationId: organization.id, endpointId: endpoint.id, isTroubled: false });
    }
    assert.deepEqual(await run(storage.endpointsToServe(10, 10, 0)), expected);
  },

  "at most so many endpoints are served, those first that wait longest for a delivery": async (
    storage,
    acme,
  ) => {
    await acme.events([{}]);
    const behind = await acme.webhookEndpoint();
    const later = await acme.webhookEndpoint();
    await acme.deliveries(later, [{ nextAttemptAt: 11 }]);
    const due: string[] = [];
    for (const nextAttemptAt of [5, 3, 9, 4]) {
      const endpoint = await acme.webhookEndpoint({ position: nextAttemptAt % 2 });
      await acme.deliveries(endpoint, [{ nextAttemptAt }, { nextAttemptAt: nextAttemptAt + 20 }]);
      due.push(endpoint.id);
    }
    const byDueTime = [1, 3, 0, 2].map((at) => due[at]);
    for (const limit of [1, 2, 4])
      assert.deepEqual(await run(served(storage, 10, limit)), byDueTime.slice(0, limit));
    const everyone = await run(served(storage, 10));
    assert.deepEqual(everyone.slice(0, 4), byDueTime);
    assert.deepEqual(new Set(everyone.slice(4)), new Set([behind.id, later.id]));
    assert.equal((await run(served(storage, 10, 5))).length, 5);
  },
};
