import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import type { StorageTransaction, StoredWebhookEndpoint } from "loyalty-kit/storage";
import { expect, it, onTestFinished } from "vitest";
import { SuiteOrganization } from "../../adapters/testing/storage-suite/kit/organization.js";
import { someDelivery, someOutcome } from "../../adapters/testing/storage-suite/kit/records.js";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import { createPlace } from "./place.js";

/** Opens two storages on one place, each with its own connections, which have a short lock timeout. */
async function openTwoStorages(): Promise<readonly [StorageAdapter, StorageAdapter]> {
  const place = await createPlace();
  const url = new URL(place.url);
  url.searchParams.set("options", `${url.searchParams.get("options")} -c lock_timeout=500ms`);
  const storages = [await postgresStorage(url.href), await postgresStorage(url.href)] as const;
  onTestFinished(async () => {
    for (const storage of storages) await storage.close();
    await place.remove();
  });
  return storages;
}

/** Creates an endpoint with due deliveries. */
async function createEndpoint(storage: StorageAdapter, deliveries: number): Promise<StoredWebhookEndpoint> {
  const acme = new SuiteOrganization(storage, "acme");
  const endpoint = await acme.webhookEndpoint();
  await acme.deliveries(endpoint, new Array(deliveries).fill({ nextAttemptAt: 1 }));
  return endpoint;
}

/** Performs every step of a worker on an endpoint. */
function* claimAndRecord(tx: StorageTransaction, endpoint: StoredWebhookEndpoint): Step<void> {
  const { id } = endpoint;
  const claim = { lease: "first", now: 10, until: 20, limit: 1 };
  expect(yield* tx.lockWebhookEndpoint(id, true)).toEqual(endpoint);
  yield* tx.insertDeliveries(id, [someDelivery(endpoint)]);
  const claimedDeliveries = yield* tx.claimDeliveries(id, claim);
  expect(claimedDeliveries).toHaveLength(1);
  const outcomes = claimedDeliveries.map((delivery) => someOutcome(delivery));
  expect(yield* tx.recordAttempts(id, claim.lease, outcomes, 15)).toHaveLength(1);
  for (const delivery of claimedDeliveries) {
    expect(yield* tx.findDelivery(delivery.id)).toMatchObject({ status: "delivered" });
    expect(yield* tx.attemptsOf([delivery.id])).toHaveLength(1);
  }
  expect(yield* tx.listDeliveries(id, { before: null, limit: 10 })).toHaveLength(2);
  expect(yield* tx.removeDeliveries(id, Number.MAX_SAFE_INTEGER, 10)).toBe(1);
  expect(yield* tx.updateWebhookEndpoint(endpoint)).toBe(true);
}

it.each([true, false])(
  "two workers that claim at the same time never get the same delivery (waiting: %s)",
  async (isWaiting) => {
    const storages = await openTwoStorages();
    const endpoint = await createEndpoint(storages[0], 60);
    const claimedIds: string[] = [];
    const claimAll = async (storage: StorageAdapter, name: number) => {
      for (let round = 0; claimedIds.length < 60; round += 1) {
        const claim = { lease: `${name} ${round}`, now: 10, until: 20, limit: 3 };
        const deliveries = await storage.transaction("acme", function* (tx) {
          if ((yield* tx.lockWebhookEndpoint(endpoint.id, isWaiting)) === null) return [];
          return yield* tx.claimDeliveries(endpoint.id, claim);
        });
        claimedIds.push(...deliveries.map(({ id }) => id));
      }
    };
    await Promise.all([...storages, ...storages].map(claimAll));
    expect(claimedIds).toHaveLength(60);
    expect(new Set(claimedIds).size).toBe(60);
  },
);

it("a worker doesn't wait for other changes of the organization", async () => {
  const [host, worker] = await openTwoStorages();
  const endpoint = await createEndpoint(host, 1);
  await host.transaction("acme", function* (tx) {
    yield* new SuiteOrganization(host, "acme").withTransaction(tx).user();
    yield* awaitInStep(worker.transaction("acme", (other) => claimAndRecord(other, endpoint)));
    yield* awaitInStep(worker.transaction("acme", (other) => other.deleteWebhookEndpoint(endpoint.id)));
  });
  expect(await runStep(host.reader("acme").listUsers(-1, 10))).toHaveLength(1);
  expect(await runStep(host.reader("acme").listWebhookEndpoints())).toEqual([]);
});

it("other changes of the organization don't wait for a worker", async () => {
  const [host, worker] = await openTwoStorages();
  const endpoint = await createEndpoint(host, 1);
  const acme = new SuiteOrganization(host, "acme");
  await worker.transaction(acme.id, function* (tx) {
    yield* claimAndRecord(tx, endpoint);
    yield* awaitInStep(acme.user());
    yield* awaitInStep(acme.events([{}]));
    yield* awaitInStep(acme.webhookEndpoint());
  });
  expect(await runStep(host.all.endpointsWithDueWork(0, 10, 0))).toHaveLength(2);
});

it("a lock that may not wait returns null immediately for a locked endpoint, and gets any other", async () => {
  const [one, another] = await openTwoStorages();
  const [endpoint, other] = [await createEndpoint(one, 1), await createEndpoint(one, 1)];
  const lockEndpoint = (id: string) => another.transaction("acme", (tx) => tx.lockWebhookEndpoint(id, false));
  await one.transaction("acme", function* (tx) {
    yield* tx.lockWebhookEndpoint(endpoint.id, false);
    expect(yield* awaitInStep(lockEndpoint(endpoint.id))).toBeNull();
    expect(yield* awaitInStep(lockEndpoint(other.id))).toEqual(other);
  });
  expect(await lockEndpoint(endpoint.id)).toEqual(endpoint);
});
