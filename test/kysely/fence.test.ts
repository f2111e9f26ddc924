import Sqlite from "better-sqlite3";
import { type LentTransaction, LoyaltyService, type OpenTransaction, type StorageAdapter } from "loyalty-kit";
import { fromBetterSqlite3, fromPg } from "loyalty-kit/joining";
import { postgresStorage } from "loyalty-kit/postgres";
import { sqliteStorage } from "loyalty-kit/sqlite";
import pg from "pg";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { health } from "../../adapters/cli/server/health.js";
import { SCHEMA_VERSION } from "../../adapters/kysely/migrations/migrations.js";
import { postgresDialect } from "../../adapters/postgres/dialect.js";
import { run } from "../../src/concurrency/step.js";
import { hostsOf, syncHostsOf } from "../../src/storage/storage-adapter.js";
import { someTemplate } from "../../src/testing/kit/records.js";
import { afterwards } from "../kit/afterwards.js";
import { isInThisRun } from "../kit/this-run.js";
import { newPlace } from "../postgres/place.js";
import { temporaryFile } from "../sqlite/temporary-file.js";

/** A storage, and others on its database. */
interface Opened {
  readonly storage: StorageAdapter;
  /** Runs a statement of another program. */
  execute(sql: string): Promise<unknown>;
  /** Runs work in an open transaction of a host, which commits. */
  hosted<T>(work: (host: OpenTransaction) => Promise<T>, begin?: string): Promise<T>;
}

const NEXT = SCHEMA_VERSION + 1;
const applied = `insert into loyalty_migrations (version, applied_at) values (${NEXT}, 0)`;
const none = { kind: "none" } as const;
const takenBack = `delete from loyalty_migrations where version = ${NEXT}`;

const all: readonly { readonly name: string; readonly open: () => Promise<Opened> }[] = [
  { name: "SQLite", open: openSqlite },
  { name: "Postgres", open: async () => openPostgres((await postgresPlace()).url) },
];
const databases = all.filter(({ name }) => isInThisRun(name));

async function openSqlite(): Promise<Opened & { readonly host: Sqlite.Database }> {
  const file = temporaryFile();
  const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
  const [host, other] = [new Sqlite(file), new Sqlite(file)];
  afterwards(async () => {
    await storage.close();
    host.close();
    other.close();
  });
  return {
    storage,
    host,
    execute: async (sql) => other.exec(sql),
    async hosted(work, begin = "begin") {
      host.exec(begin);
      return work(fromBetterSqlite3(host)).finally(() => host.exec("commit"));
    },
  };
}

async function postgresPlace() {
  const place = await newPlace();
  afterwards(place.remove);
  return place;
}

async function openPostgres(url: string): Promise<Opened & { readonly pool: pg.Pool }> {
  const pool = new pg.Pool({ connectionString: url });
  const storage = await postgresStorage(url);
  afterwards(async () => {
    await storage.close();
    await pool.end();
  });
  return {
    storage,
    pool,
    execute: (sql) => pool.query(sql),
    async hosted(work, begin = "begin") {
      const client = await pool.connect();
      try {
        await client.query(begin);
        return await work(fromPg(client)).finally(() => client.query("commit"));
      } finally {
        client.release();
      }
    },
  };
}

const addTemplate = (storage: StorageAdapter, isLarge = false) =>
  storage.transaction((tx) => tx.insertTemplate("acme", someTemplate()), { isLarge, organizationId: "acme" });

/** Every way to write, and every way to read that looks before it. */
const doors: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
  "a change": ({ storage }) => addTemplate(storage),
  "a large change": ({ storage }) => addTemplate(storage, true),
  "a change that locks no organization": ({ storage }) =>
    storage.transaction((tx) => tx.lockWalletQueue("acme", true)),
  "a change in a lent transaction": ({ storage }) =>
    hostsOf(storage).lend((tx: LentTransaction) => addTemplate(hostsOf(storage).joining(tx)), 10_000),
  "a change in a host's transaction": ({ storage, hosted }) =>
    hosted((host) => addTemplate(hostsOf(storage).joining(host))),
  "a change in a host's transaction that locks no organization": ({ storage, hosted }) =>
    hosted((host) =>
      hostsOf(storage)
        .joining(host)
        .transaction((tx) => tx.lockWalletQueue("acme", true)),
    ),
  "a snapshot": ({ storage }) => storage.snapshot((reader) => reader.listTemplates("acme")),
};

describe.each(databases)("storage on $name whose tables another release has migrated", ({ open }) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });

  it.each(Object.entries(doors))(
    "refuses %s, says why, and goes on when it is its own again",
    async (_, door) => {
      const templates = () => run(opened.storage.listTemplates("acme"));
      await door(opened);
      const before = await templates();
      await opened.execute(applied);
      const refused = await door(opened).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "storage_unavailable",
        cause: { message: expect.stringContaining(`version ${NEXT}, and this process works with version`) },
      });
      await opened.execute(takenBack);
      expect(await templates()).toEqual(before);
      await door(opened);
    },
  );

  it("refuses each query once it knows", async () => {
    const { storage, execute } = opened;
    await execute(applied);
    await expect(addTemplate(storage)).rejects.toMatchObject({ code: "storage_unavailable" });
    await expect(run(storage.listTemplates("acme"))).rejects.toMatchObject({ code: "storage_unavailable" });
    await execute(takenBack);
    expect(await run(storage.listTemplates("acme"))).not.toEqual([]);
  });

  it("refuses a query by itself that lacks a column for it", async () => {
    const { storage, execute } = opened;
    await execute(applied);
    await execute("alter table loyalty_pictures rename column hash to digest");
    await expect(run(storage.findPicture("hash"))).rejects.toMatchObject({ code: "storage_unavailable" });
    await execute(takenBack);
    await expect(run(storage.findPicture("hash"))).rejects.toThrow("hash");
    await execute("alter table loyalty_pictures rename column digest to hash");
    expect(await run(storage.findPicture("hash"))).toBeNull();
  });

  it("is not ready, and answers calls with 503", async () => {
    const { storage, execute } = opened;
    const errors: unknown[] = [];
    const asked = async () => {
      const ready = {
        method: "GET",
        url: "/health/ready",
        headers: [],
        body: none,
        prefix: "",
        address: null,
      };
      return (await health(storage).handle(ready, (error) => errors.push(error))).status;
    };
    expect(await asked()).toBe(200);
    await execute(applied);
    expect(await asked()).toBe(503);
    expect(errors).toMatchObject([{ code: "storage_unavailable", status: 503 }]);
    await execute(takenBack);
    expect(await asked()).toBe(200);
  });

  it("tells webhook workers that storage is unavailable", async () => {
    const { storage, execute } = opened;
    const loyalty = new LoyaltyService({ storage });
    const acme = loyalty.organization("acme");
    const { id } = (await acme.webhooks.create({ url: "https://receiver.example" })).webhookEndpoint;
    await execute(applied);
    const place = { organizationId: "acme", endpointId: id };
    await expect(loyalty.webhookQueue.take(place, 10)).rejects.toMatchObject({ code: "storage_unavailable" });
    await execute(takenBack);
    expect(await loyalty.webhookQueue.take(place, 10)).toMatchObject({ jobs: [] });
  });
});

describe("storage on SQLite whose tables another release has migrated", () => {
  it("refuses a change in a synchronous transaction of a host", async () => {
    const { storage, host, execute } = await openSqlite();
    const add = () => {
      const joined = syncHostsOf(storage).joining(fromBetterSqlite3(host));
      host.exec("begin");
      try {
        joined.transaction((tx) => tx.insertTemplate("acme", someTemplate()));
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

  it("leaves the version that the host keeps of its own tables in the file alone", async () => {
    const { host, storage } = await openSqlite();
    host.pragma("user_version = 7");
    await addTemplate(storage);
    expect(host.pragma("user_version", { simple: true })).toBe(7);
  });
});

/** The statements that a migration begins and ends with. */
const migration = [
  "begin",
  ...postgresDialect()
    .migrationFence(NEXT)
    .map(({ sql }) => sql),
];

describe("a migration on Postgres", () => {
  it.each(["a change of its own", "a change in a host's transaction"] as const)(
    "waits for %s that is under way, and what begins meanwhile is refused",
    async (kind) => {
      const { storage, pool, hosted } = await openPostgres((await postgresPlace()).url);
      const order: string[] = [];
      const client = await pool.connect();
      let migrated: Promise<void> = Promise.resolve();
      let later: Promise<unknown> = Promise.resolve();
      const during = async () => {
        for (const statement of migration.slice(0, -1)) await client.query(statement);
        migrated = client.query(migration.at(-1) ?? "").then(async () => {
          order.push("migration");
          await client.query(`${applied}; commit`);
        });
        await untilWaiting(pool, 1);
        later = addTemplate(storage).catch((error: unknown) => error);
        await untilWaiting(pool, 2);
        order.push("change");
      };
      if (kind === "a change of its own") {
        await storage.transaction(function* (tx) {
          yield* tx.insertTemplate("acme", someTemplate());
          yield during();
        });
      } else {
        await hosted(async (host) => {
          await addTemplate(hostsOf(storage).joining(host));
          await during();
        });
      }
      await migrated;
      client.release();
      expect(order).toEqual(["change", "migration"]);
      expect(await later).toMatchObject({ code: "storage_unavailable" });
      expect((await pool.query("select id from loyalty_templates")).rowCount).toBe(1);
    },
  );

  it.each(["read committed", "repeatable read", "serializable"])(
    "shuts out a host's transaction that was begun before it as %s",
    async (level) => {
      const { storage, pool, hosted } = await openPostgres((await postgresPlace()).url);
      const joined = hosted(async (host) => {
        await host.query("select count(*) from loyalty_users", []);
        await pool.query([...migration, applied, "commit"].join("; "));
        await addTemplate(hostsOf(storage).joining(host));
      }, `begin isolation level ${level}`);
      await expect(joined).rejects.toMatchObject({ code: "storage_unavailable" });
      expect((await pool.query("select id from loyalty_templates")).rowCount).toBe(0);
    },
  );

  it("waits for no snapshot", async () => {
    const { storage, pool } = await openPostgres((await postgresPlace()).url);
    await storage.snapshot(function* (reader) {
      yield* reader.listTemplates("acme");
      yield pool.query([...migration, applied, "commit"].join("; "));
    });
    await expect(addTemplate(storage)).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("costs a change no message of its own", async () => {
    const { storage, hosted } = await openPostgres((await postgresPlace()).url);
    const sent = vi.spyOn(pg.Client.prototype, "query");
    onTestFinished(() => sent.mockRestore());
    const looks = async (change: Promise<void>) => {
      sent.mockClear();
      await change;
      const texts = sent.mock.calls.map(([statement]) => textOf(statement));
      return texts.filter((text) => text.includes("loyalty_version"));
    };
    expect(await looks(addTemplate(storage))).toEqual([expect.stringMatching(/^begin .*loyalty_version$/)]);
    const joined = hosted((host) => addTemplate(hostsOf(storage).joining(host)));
    expect(await looks(joined)).toEqual([
      expect.stringMatching(/from "loyalty_organizations" .* for update$/),
    ]);
  });
});

function textOf(statement: unknown): string {
  return typeof statement === "object" && statement !== null && "text" in statement
    ? String(statement.text)
    : String(statement);
}

/** Resolves when so many connections wait for a lock in the schema of the pool. */
async function untilWaiting(pool: pg.Pool, count: number): Promise<void> {
  const waiting = `select count(*)::int as count from pg_locks
    where not granted and relation = 'loyalty_version'::regclass`;
  await vi.waitFor(async () => expect((await pool.query(waiting)).rows).toEqual([{ count }]), {
    timeout: 10_000,
    interval: 10,
  });
}
