import assert from "node:assert/strict";
import { runStep } from "../../../../src/base/concurrency/step.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { SuiteOrganization } from "../kit/organization.js";
import type { Statements } from "../kit/statements.js";

/** Returns the IDs of the endpoints that have work. */
const listEndpointsWithWork = function* (storage: StorageAdapter, now: number, limit = 100) {
  return (yield* storage.all.endpointsWithDueWork(now, limit, 0)).map(({ endpointId }) => endpointId);
};

export const webhookWork: Statements = {
  "an endpoint without a due delivery is skipped if its organization has no recent events": async (
    storage,
    acme,
  ) => {
    const globex = new SuiteOrganization(storage, "globex");
    const [lateEndpoint, dueEndpoint] = [await acme.webhookEndpoint(), await acme.webhookEndpoint()];
    const other = await globex.webhookEndpoint();
    const minute = 60_000;
    await acme.events([{ createdAt: 9 * minute + 7 }, { createdAt: 3 * minute }]);
    await globex.events([{ createdAt: 12 * minute }]);
    await acme.deliveries(dueEndpoint, [{ nextAttemptAt: 5 }]);
    const listEndpointsSince = async (since: number) =>
      new Set(
        (await runStep(storage.all.endpointsWithDueWork(10, 100, since))).map(({ endpointId }) => endpointId),
      );
    assert.deepEqual(
      await listEndpointsSince(9 * minute),
      new Set([dueEndpoint.id, lateEndpoint.id, other.id]),
    );
    assert.deepEqual(
      await listEndpointsSince(9 * minute + 8),
      new Set([dueEndpoint.id, lateEndpoint.id, other.id]),
    );
    assert.deepEqual(await listEndpointsSince(10 * minute), new Set([dueEndpoint.id, other.id]));
    assert.deepEqual(await listEndpointsSince(13 * minute), new Set([dueEndpoint.id]));
  },

  "endpoints of all organizations are served, each once": async (storage, acme) => {
    const organizations = [
      acme,
      new SuiteOrganization(storage, "globex"),
      new SuiteOrganization(storage, "initech"),
    ];
    const expected = [];
    for (const [at, organization] of organizations.entries()) {
      const endpoint = await organization.webhookEndpoint();
      await organization.deliveries(endpoint, [{ nextAttemptAt: 9 - at }, { nextAttemptAt: 9 - at }]);
      await organization.events([{}]);
      expected.unshift({ organizationId: organization.id, endpointId: endpoint.id, isTroubled: false });
    }
    assert.deepEqual(await runStep(storage.all.endpointsWithDueWork(10, 10, 0)), expected);
  },

  "endpoints are served up to a limit, longest-waiting for a delivery first": async (storage, acme) => {
    await acme.events([{}]);
    const lateEndpoint = await acme.webhookEndpoint();
    const later = await acme.webhookEndpoint();
    await acme.deliveries(later, [{ nextAttemptAt: 11 }]);
    const dueIds: string[] = [];
    for (const nextAttemptAt of [5, 3, 9, 4]) {
      const endpoint = await acme.webhookEndpoint({ position: nextAttemptAt % 2 });
      await acme.deliveries(endpoint, [{ nextAttemptAt }, { nextAttemptAt: nextAttemptAt + 20 }]);
      dueIds.push(endpoint.id);
    }
    const byDueTime = [1, 3, 0, 2].map((at) => dueIds[at]);
    for (const limit of [1, 2, 4])
      assert.deepEqual(await runStep(listEndpointsWithWork(storage, 10, limit)), byDueTime.slice(0, limit));
    const allIds = await runStep(listEndpointsWithWork(storage, 10));
    assert.deepEqual(allIds.slice(0, 4), byDueTime);
    assert.deepEqual(new Set(allIds.slice(4)), new Set([lateEndpoint.id, later.id]));
    assert.equal((await runStep(listEndpointsWithWork(storage, 10, 5))).length, 5);
  },
};
