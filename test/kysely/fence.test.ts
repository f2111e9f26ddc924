import { LoyaltyService } from "loyalty-kit";
import { fromBetterSqlite3 } from "loyalty-kit/joining";
import type { ManagedTransaction } from "loyalty-kit/storage";
import { beforeAll, describe, expect, it } from "vitest";
import { createHealthExtension } from "../../adapters/apps/cli/server/extensions.js";
import { someTemplate } from "../../adapters/testing/storage-suite/kit/records.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { requireHostSupport, requireSyncHostSupport } from "../../src/storage/storage-adapter.js";
import { walletJobs } from "../../src/storage/wallets.js";
import {
  addTemplate,
  applied,
  type FencedDatabase,
  fencedDatabases,
  NEXT,
  openSqlite,
  takenBack,
} from "./fenced-databases.js";

const none = { kind: "none" } as const;

/** Every way to write, and the snapshot, which checks the schema version too. */
const doors: Readonly<Record<string, (database: FencedDatabase) => Promise<unknown>>> = {
  "a change": ({ storage }) => addTemplate(storage),
  "a large change": ({ storage }) => addTemplate(storage, true),
  "a change that locks no organization": ({ storage }) =>
    storage.transaction("acme", (tx) => tx.lockQueue(walletJobs)),
  "a change in a managed transaction": ({ storage }) =>
    requireHostSupport(storage).runManaged(
      (tx: ManagedTransaction) => addTemplate(requireHostSupport(storage).joining(tx)),
      10_000,
    ),
  "a change in a host's transaction": ({ storage, runInHostTransaction: hosted }) =>
    hosted((host) => addTemplate(requireHostSupport(storage).joining(host))),
  "a change in a host's transaction that locks no organization": ({
    storage,
    runInHostTransaction: hosted,
  }) =>
    hosted((host) =>
      requireHostSupport(storage)
        .joining(host)
        .transaction("acme", (tx) => tx.lockQueue(walletJobs)),
    ),
  "a snapshot": ({ storage }) => storage.snapshot("acme", (reader) => reader.listTemplates()),
};

describe.each(fencedDatabases)("storage on $name after another release migrated its tables", ({ open }) => {
  let database: FencedDatabase;
  beforeAll(async () => {
    database = await open();
  });

  it.each(Object.entries(doors))(
    "refuses %s with the reason, and accepts it again once the migration is taken back",
    async (_, door) => {
      const listTemplates = () => runStep(database.storage.reader("acme").listTemplates());
      await door(database);
      const before = await listTemplates();
      await database.execute(applied);
      const rejection = await door(database).catch((error: unknown) => error);
      expect(rejection).toMatchObject({
        code: "storage_unavailable",
        cause: { message: expect.stringContaining(`version ${NEXT}, but this process needs version`) },
      });
      await database.execute(takenBack);
      expect(await listTemplates()).toEqual(before);
      await door(database);
    },
  );

  it("refuses every query after it has noticed the migration", async () => {
    const { storage, execute } = database;
    await execute(applied);
    await expect(addTemplate(storage)).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(runStep(storage.reader("acme").listTemplates())).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await execute(takenBack);
    expect(await runStep(storage.reader("acme").listTemplates())).not.toEqual([]);
  });

  it("refuses a query that fails because of a missing column", async () => {
    const { storage, execute } = database;
    await execute(applied);
    await execute("alter table loyalty_pictures rename column hash to digest");
    await expect(runStep(storage.all.findPicture("hash"))).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await execute(takenBack);
    await expect(runStep(storage.all.findPicture("hash"))).rejects.toThrow("hash");
    await execute("alter table loyalty_pictures rename column digest to hash");
    expect(await runStep(storage.all.findPicture("hash"))).toBeNull();
  });

  it("isn't ready, so that the readiness check returns 503", async () => {
    const { storage, execute } = database;
    const errors: unknown[] = [];
    const requestReadiness = async () => {
      const ready = {
        method: "GET",
        url: "/health/ready",
        headers: [],
        body: none,
        prefix: "",
        address: null,
      };
      return (await createHealthExtension(storage).handle(ready, (error) => errors.push(error))).status;
    };
    expect(await requestReadiness()).toBe(200);
    await execute(applied);
    expect(await requestReadiness()).toBe(503);
    expect(errors).toMatchObject([{ code: "storage_unavailable", status: 503 }]);
    await execute(takenBack);
    expect(await requestReadiness()).toBe(200);
  });

  it("makes webhook workers fail with storage_unavailable", async () => {
    const { storage, execute } = database;
    const loyalty = new LoyaltyService({ storage });
    const acme = loyalty.organization("acme");
    const { id } = (await acme.webhooks.create({ url: "https://receiver.example" })).webhookEndpoint;
    await execute(applied);
    const place = { organizationId: "acme", endpointId: id };
    await expect(serviceInternals(loyalty).webhookQueue.claimNext(place, 10)).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    await execute(takenBack);
    expect(await serviceInternals(loyalty).webhookQueue.claimNext(place, 10)).toMatchObject({ jobs: [] });
  });
});

describe("storage on SQLite after another release migrated its tables", () => {
  it("refuses a change in a host's synchronous transaction", async () => {
    const { storage, host, execute } = await openSqlite();
    const add = () => {
      const joinedStorage = requireSyncHostSupport(storage).joining(fromBetterSqlite3(host));
      host.exec("begin");
      try {
        joinedStorage.transaction("acme", (tx) => tx.insertTemplate(someTemplate()));
      } finally {
        host.exec("commit");
      }
    };
    add();
    await execute(applied);
    expect(add).toThrow(expect.objectContaining({ code: "storage_unavailable" }));
    expect(host.prepare("select count(*) from loyalty_templates").pluck().get()).toBe(1);
    await execute(takenBack);
    add();
  });

  it("leaves the file's `user_version` to the host", async () => {
    const { host, storage } = await openSqlite();
    host.pragma("user_version = 7");
    await addTemplate(storage);
    expect(host.pragma("user_version", { simple: true })).toBe(7);
  });
});
