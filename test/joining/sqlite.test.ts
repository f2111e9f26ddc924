import { monitorEventLoopDelay } from "node:perf_hooks";
import Sqlite from "better-sqlite3";
import { Kysely, SqliteDialect, sql } from "kysely";
import { LoyaltyService } from "loyalty-kit";
import { fromBetterSqlite3, type OpenTransaction } from "loyalty-kit/joining";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { awaitInStep } from "../../src/base/concurrency/step.js";
import { getErrorDetail } from "../kit/refusal.js";
import { otherProgram } from "../sqlite/open-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import type { Shop } from "./host.js";
import { createCustomer, insertOrder, listOrders, readStamps, recordEvents } from "./shop.js";

const unavailable = { code: "storage_unavailable", params: null };

/**
 * Makes a connection wait for a lock and block the event loop, at least twice as long as anything else takes.
 */
const patient = { timeout: 30_000 };
const LONG_MS = 15_000;

/** Opens a shop. Default: a connection as the driver opens it, which waits 5 s for a lock and blocks. */
async function openShop(options: Sqlite.Options = {}) {
  const file = createTemporaryFile();
  const storage = await sqliteStorage(file, { synchronous: "NORMAL" });
  const loyalty = new LoyaltyService({ storage });
  const connection = new Sqlite(file, options);
  const db = new Kysely<Shop>({ dialect: new SqliteDialect({ database: connection }) });
  await sql`create table orders (id text primary key, customer text not null)`.execute(db);
  onTestFinished(async () => {
    await loyalty.close();
    await db.destroy();
  });
  const acme = loyalty.organization("acme");
  return { file, connection, db, storage, loyalty, acme, ...(await createCustomer(acme)) };
}

describe("a joined transaction on SQLite", () => {
  it("is refused on a connection that doesn't enforce foreign keys", async () => {
    const { connection, db, acme, card } = await openShop();
    connection.pragma("foreign_keys = off");
    await db.transaction().execute(async (trx) => {
      await insertOrder(trx, "order-1");
      await expect(acme.joining(trx).stamps.add(card)).rejects.toThrow(TypeError);
    });
    expect(await listOrders(db)).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(0);
  });

  it("accepts a driver that returns all integers as bigint", async () => {
    const { connection, db, acme, card } = await openShop();
    connection.defaultSafeIntegers(true);
    await db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card, { count: 3 });
      expect(await readStamps(acme.joining(trx), card)).toBe(3);
    });
    expect(await readStamps(acme, card)).toBe(3);
  });

  it("is asked only once which SQLite library it uses, even if it is joined several times", async () => {
    const { connection, acme, card } = await openShop();
    const { query } = fromBetterSqlite3(connection);
    const queries: string[] = [];
    const tx: OpenTransaction = {
      query(sql, parameters) {
        if (sql.includes("soft_heap_limit")) queries.push(sql);
        return query(sql, parameters);
      },
    };
    connection.exec("begin");
    for (let sale = 0; sale < 3; sale += 1) await acme.joining(tx).stamps.add(card);
    expect(await readStamps(acme.joining(tx), card)).toBe(3);
    connection.exec("commit");
    expect(queries).toHaveLength(1);
  });

  it("keeps the host's setting for deferring constraints to the commit", async () => {
    const { connection, db, acme, card } = await openShop();
    const isDeferring = () => connection.pragma("defer_foreign_keys", { simple: true });
    await db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card);
      expect(isDeferring()).toBe(0);
      connection.pragma("defer_foreign_keys = on");
      await acme.joining(trx).stamps.add(card);
      expect(isDeferring()).toBe(1);
    });
    expect(isDeferring()).toBe(0);
    expect(await readStamps(acme, card)).toBe(2);
  });

  it("can write if the joined call is its first statement, even if another program wrote before it got the lock", async () => {
    const { file, connection, acme, card } = await openShop();
    const other = otherProgram(file);
    const tx = fromBetterSqlite3(connection);
    let writes = 0;
    connection.exec("begin");
    const joinedOrganization = acme.joining({
      query(sql, parameters) {
        if (writes === 0 && /^delete/i.test(sql))
          writes = other.prepare("insert into orders values (1, 2)").run().changes;
        return tx.query(sql, parameters);
      },
    });
    await joinedOrganization.stamps.add(card);
    connection.exec("commit");
    expect([writes, await readStamps(acme, card)]).toEqual([1, 1]);
  });

  it("can't write after another program wrote since its first read", async () => {
    const { file, db, acme, card } = await openShop();
    await db.transaction().execute(async (trx) => {
      await listOrders(trx);
      otherProgram(file).exec("insert into orders values ('order-2', 'Bob')");
      expect(await getErrorDetail(acme.joining(trx).stamps.add(card))).toEqual(unavailable);
    });
    expect(await readStamps(acme, card)).toBe(0);
  });

  it("waits for another program that writes, without blocking other calls", async () => {
    const { file, db, acme, card } = await openShop({ timeout: 0 });
    const other = otherProgram(file);
    other.exec("begin immediate");
    const stampCall = db.transaction().execute((trx) => acme.joining(trx).stamps.add(card));
    // These calls take many iterations of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await acme.users.get("nobody").catch(() => undefined);
    other.exec("commit");
    expect((await stampCall).currentStamps).toBe(1);
  });

  it("runs beside the library's own writers without blocking the event loop", async () => {
    const { db, loyalty, acme, card } = await openShop(patient);
    const { events, count } = recordEvents(loyalty, "stamp.added");
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const users = Array.from({ length: 200 }, (_, at) =>
      acme.users.create({ email: `customer-${at}@example.com` }),
    );
    for (let at = 0; at < 10; at += 1) {
      await db.transaction().execute(async (trx) => {
        await acme.joining(trx).stamps.add(card);
        await insertOrder(trx, `order-${at}`);
        await acme.joining(trx).stamps.add(card);
      });
    }
    await Promise.all(users);
    await count(20);
    delay.disable();
    expect(events).toHaveLength(20);
    expect(delay.max / 1e6).toBeLessThan(LONG_MS);
  });

  it("takes the lock between the library's own transactions, because waiting for it would block them", async () => {
    const { db, storage, acme, card } = await openShop(patient);
    const startedAt = performance.now();
    let joinedCall: Promise<unknown> = Promise.resolve();
    await storage.transaction("acme", function* (tx) {
      joinedCall = db.transaction().execute((trx) => acme.joining(trx).stamps.add(card));
      for (let turn = 0; turn < 10; turn += 1) {
        yield* awaitInStep(new Promise((resolve) => setImmediate(resolve)));
        yield* tx.findTag("vip");
      }
    });
    await joinedCall;
    expect(performance.now() - startedAt).toBeLessThan(LONG_MS);
  });

  it("continues while the library's own writers wait for its lock", async () => {
    const { db, acme, ada, card } = await openShop(patient);
    await acme.tags.create({ name: "VIP" });
    const own: Promise<unknown>[] = [];
    await db.transaction().execute(async (trx) => {
      await insertOrder(trx, "order-1");
      own.push(acme.users.update(ada, { name: "Ada" }));
      // A large change, which begins in a thread.
      own.push(acme.tags.assignUsers("vip", { userIds: Array.from({ length: 2_000 }, () => ada) }));
      await acme.contacts.list();
      const startedAt = performance.now();
      await acme.joining(trx).stamps.add(card);
      await acme.joining(trx).stamps.add(card);
      expect(performance.now() - startedAt).toBeLessThan(LONG_MS);
    });
    await Promise.all(own);
    expect(await readStamps(acme, card)).toBe(2);
  });

  it("ends when SQLite rolls it back itself, and nothing is stored outside of it", async () => {
    const { connection, db, acme, card } = await openShop();
    connection.exec(`create trigger out_of_paper before insert on loyalty_stamp_entries
      begin select raise(rollback, 'out of paper'); end`);
    const lostTransaction = db.transaction().execute(async (trx) => {
      await insertOrder(trx, "order-1");
      await expect(acme.joining(trx).stamps.add(card)).rejects.toThrow("out of paper");
      await expect(acme.joining(trx).users.create({ email: "grace@example.com" })).rejects.toThrow(
        "out of paper",
      );
    });
    await expect(lostTransaction).rejects.toThrow();
    expect(await listOrders(db)).toEqual([]);
    expect((await acme.contacts.list()).totalElements).toBe(1);
  });
});
