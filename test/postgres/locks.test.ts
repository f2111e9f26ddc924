import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { expect, it, onTestFinished, vi } from "vitest";
import { someTemplate, someWebhookEndpoint } from "../../adapters/testing/storage-suite/kit/records.js";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";
import type { StorageTransaction } from "../../src/storage/storage-adapter.js";
import { someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { createPlace } from "./place.js";

/** Returns the URL of a new place, whose connections have this application name. */
async function createNamedPlace(name: string): Promise<string> {
  const place = await createPlace();
  onTestFinished(place.remove);
  const url = new URL(place.url);
  url.searchParams.set("application_name", name);
  return url.href;
}

/** Returns a URL whose connections have a short lock timeout. */
function withLockTimeout(place: string): string {
  const url = new URL(place);
  url.searchParams.set("options", `${url.searchParams.get("options")} -c lock_timeout=500ms`);
  return url.href;
}

async function openStorage(place: string): Promise<StorageAdapter> {
  const storage = await postgresStorage(place);
  onTestFinished(() => storage.close());
  return storage;
}

async function openOrganizations(place: string): Promise<(id: string) => Organization> {
  const loyalty = new LoyaltyService({ storage: await postgresStorage(place) });
  onTestFinished(() => loyalty.close());
  return (id) => loyalty.organization(id);
}

async function createAndTag({ users, tags }: Organization): Promise<void> {
  const { id } = await users.create({ email: someEmail() });
  const { slug } = await tags.create({ name: `Tag of ${id}` });
  await tags.assign(id, slug);
  await tags.assignUsers(slug, { userIds: [id] });
  await tags.unassign(id, slug);
  await tags.delete(slug);
  await users.delete(id);
}

/** Resolves when one of the place's connections waits for a lock. */
async function waitUntilOneWaits(place: string): Promise<void> {
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  const waiting = `select pid from pg_stat_activity
    where application_name = current_setting('application_name') and wait_event_type = 'Lock'`;
  try {
    await vi.waitFor(async () => expect((await client.query(waiting)).rowCount).toBe(1), 10_000);
  } finally {
    await client.end();
  }
}

it("a transaction blocks neither other organizations, existing or new, nor reads in its own", async () => {
  const place = await createNamedPlace("apart");
  const storage = await openStorage(place);
  const organization = await openOrganizations(withLockTimeout(place));
  const acme = organization("acme");
  for (const existing of [organization("old"), acme]) await createAndTag(existing);
  await storage.transaction("acme", function* (tx) {
    yield* tx.insertTemplate(someTemplate());
    yield* awaitInStep(createAndTag(organization("old")));
    yield* awaitInStep(createAndTag(organization("new")));
    expect(yield* awaitInStep(collect(acme.users.list()))).toEqual([]);
    expect((yield* awaitInStep(acme.contacts.list())).totalElements).toBe(0);
    expect(yield* awaitInStep(acme.templates.list())).toEqual([]);
    // The same connections fail if they have to wait.
    yield* awaitInStep(expect(createAndTag(acme)).rejects.toMatchObject({ code: "storage_unavailable" }));
  });
});

it("a transaction blocks other changes of its organization until it ends", async () => {
  const place = await createNamedPlace("behind");
  const storage = await openStorage(place);
  const acme = (await openOrganizations(place))("acme");
  await createAndTag(acme);
  const order: string[] = [];
  let second: Promise<unknown> = Promise.resolve();
  await storage.transaction("acme", function* (tx) {
    yield* tx.insertTemplate(someTemplate());
    second = createAndTag(acme).then(() => order.push("second"));
    yield* awaitInStep(waitUntilOneWaits(place));
    order.push("first");
  });
  await second;
  expect(order).toEqual(["first", "second"]);
});

it("two transactions that lock an organization and its endpoint in opposite order both succeed", async () => {
  const storage = await openStorage(await createNamedPlace("opposite"));
  const endpoint = someWebhookEndpoint();
  await storage.transaction("acme", (tx) => tx.insertWebhookEndpoint(endpoint));
  let arrived = 0;
  let openGate = () => {};
  const met = new Promise<void>((resolve) => {
    openGate = resolve;
  });
  let runs = 0;
  type Lock = (tx: StorageTransaction) => Step<unknown>;
  const lockOrganization: Lock = (tx) => tx.insertTemplate(someTemplate());
  const lockEndpoint: Lock = (tx) => tx.lockWebhookEndpoint(endpoint.id, true);
  const lockBoth = (first: Lock, second: Lock) =>
    storage.transaction(
      "acme",
      function* (tx) {
        runs += 1;
        yield* first(tx);
        arrived += 1;
        if (arrived === 2) openGate();
        yield* awaitInStep(met);
        yield* second(tx);
      },
      { isOutOfTurn: true },
    );
  await Promise.all([lockBoth(lockOrganization, lockEndpoint), lockBoth(lockEndpoint, lockOrganization)]);
  expect(runs, "one transaction ran again").toBe(3);
  expect(await runStep(storage.reader("acme").listTemplates())).toHaveLength(2);
});
