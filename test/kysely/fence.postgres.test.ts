import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { postgresDialect } from "../../adapters/storage/postgres/dialect.js";
import { someTemplate } from "../../adapters/testing/storage-suite/kit/records.js";
import { requireHostSupport } from "../../src/storage/storage-adapter.js";
import { addTemplate, applied, NEXT, openPostgres } from "./fenced-databases.js";

/** The first and last statements of a migration. */
const migration = [
  "begin",
  ...postgresDialect()
    .migrationFence(NEXT)
    .map(({ sql }) => sql),
];

describe("a migration on Postgres", () => {
  it.each(["a change of its own", "a change in a host's transaction"] as const)(
    "waits for %s that is in progress, and refuses changes that begin in the meantime",
    async (kind) => {
      const { storage, pool, runInHostTransaction: hosted } = await openPostgres();
      const order: string[] = [];
      const client = await pool.connect();
      let migrated: Promise<void> = Promise.resolve();
      let later: Promise<unknown> = Promise.resolve();
      const writeDuringMigration = async () => {
        for (const statement of migration.slice(0, -1)) await client.query(statement);
        migrated = client.query(migration.at(-1) ?? "").then(async () => {
          order.push("migration");
          await client.query(`${applied}; commit`);
        });
        await waitUntilWaiting(pool, 1);
        const other = storage.transaction("globex", (tx) => tx.insertTemplate(someTemplate()));
        later = other.catch((error: unknown) => error);
        await waitUntilWaiting(pool, 2);
        order.push("change");
      };
      if (kind === "a change of its own") {
        await storage.transaction("acme", function* (tx) {
          yield* tx.insertTemplate(someTemplate());
          yield writeDuringMigration();
        });
      } else {
        await hosted(async (host) => {
          await addTemplate(requireHostSupport(storage).joining(host));
          await writeDuringMigration();
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
    "refuses a host's transaction that began before it as %s",
    async (level) => {
      const { storage, pool, runInHostTransaction: hosted } = await openPostgres();
      const hostTransaction = hosted(async (host) => {
        await host.query("select count(*) from loyalty_users", []);
        await pool.query([...migration, applied, "commit"].join("; "));
        await addTemplate(requireHostSupport(storage).joining(host));
      }, `begin isolation level ${level}`);
      await expect(hostTransaction).rejects.toMatchObject({ code: "storage_unavailable" });
      expect((await pool.query("select id from loyalty_templates")).rowCount).toBe(0);
    },
  );

  it("doesn't wait for snapshots", async () => {
    const { storage, pool } = await openPostgres();
    await storage.snapshot("acme", function* (reader) {
      yield* reader.listTemplates();
      yield pool.query([...migration, applied, "commit"].join("; "));
    });
    await expect(addTemplate(storage)).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("adds no extra round trip to a change", async () => {
    const { storage, runInHostTransaction: hosted } = await openPostgres();
    const querySpy = vi.spyOn(pg.Client.prototype, "query");
    onTestFinished(() => querySpy.mockRestore());
    const listVersionReads = async (change: Promise<void>) => {
      querySpy.mockClear();
      await change;
      const texts = querySpy.mock.calls.map(([statement]) => getStatementText(statement));
      return texts.filter((text) => text.includes("loyalty_version"));
    };
    expect(await listVersionReads(addTemplate(storage))).toEqual([
      expect.stringMatching(/^begin .*loyalty_version$/),
    ]);
    const hostTransaction = hosted((host) => addTemplate(requireHostSupport(storage).joining(host)));
    expect(await listVersionReads(hostTransaction)).toEqual([
      expect.stringMatching(/from "loyalty_organizations" .* for update$/),
    ]);
  });
});

function getStatementText(statement: unknown): string {
  return typeof statement === "object" && statement !== null && "text" in statement
    ? String(statement.text)
    : String(statement);
}

/** Waits until this many connections wait for a lock in the schema of the pool. */
async function waitUntilWaiting(pool: pg.Pool, count: number): Promise<void> {
  const waiting = `select count(*)::int as count from pg_locks
    where not granted and relation = 'loyalty_version'::regclass`;
  await vi.waitFor(async () => expect((await pool.query(waiting)).rows).toEqual([{ count }]), {
    timeout: 10_000,
    interval: 10,
  });
}
