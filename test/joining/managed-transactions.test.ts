import { setTimeout as sleep } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import { Kysely, SqliteDialect } from "kysely";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { getErrorDetail } from "../kit/refusal.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { hosts, type Shop } from "./host.js";
import {
  createCustomer,
  insertOrder,
  listOrders,
  listOutbox,
  openShop,
  readStamps,
  recordEvents,
} from "./shop.js";

const unavailable = { code: "storage_unavailable" };
const insert = "insert into orders (id, customer) values ('order-1', 'Ada')";

describe.each(hosts)("a managed transaction on $name", ({ open }) => {
  it("commits the order and the stamp together", async () => {
    const { db, loyalty, acme, card } = await openShop(await open());
    const { events, count } = recordEvents(loyalty, "stamp.added");
    const stamps = await loyalty.transaction(async (tx, organization) => {
      await tx.query(insert, []);
      return (await organization("acme").stamps.add(card, { count: 2 })).currentStamps;
    });
    expect(stamps).toBe(2);
    expect(await listOrders(db)).toEqual(["order-1"]);
    expect(await readStamps(acme, card)).toBe(2);
    await count(1);
    expect(events).toEqual(["acme stamp.added"]);
  });

  it("may read first, even under continuous writes", async () => {
    const { loyalty, acme, card } = await openShop(await open());
    const busy = Array.from({ length: 100 }, (_, at) =>
      acme.users.create({ email: `guest-${at}@example.com` }),
    );
    const sales = Array.from({ length: 20 }, () =>
      loyalty.transaction(async (tx) => {
        const { rows } = await tx.query("select id from orders", []);
        const joinedOrganization = acme.joining(tx);
        await joinedOrganization.users.get("nobody").catch(() => undefined);
        await joinedOrganization.stamps.add(card);
        return rows.length;
      }),
    );
    await Promise.all([...busy, ...sales]);
    expect(await acme.stamps.state(card)).toMatchObject({ totalStampsCollected: 20 });
  });

  it("rolls back the order and the stamp together", async () => {
    const { db, storage, loyalty, acme, card } = await openShop(await open());
    const declined = loyalty.transaction(async (tx, organization) => {
      await tx.query(insert, []);
      await organization("acme").stamps.add(card);
      throw new Error("the card was declined");
    });
    await expect(declined).rejects.toThrow("the card was declined");
    expect(await listOrders(db)).toEqual([]);
    expect(await readStamps(acme, card)).toBe(0);
    expect(await listOutbox(storage)).toEqual([]);
  });

  it("waits for joined calls that weren't awaited, and refuses calls after its end", async () => {
    const { loyalty, acme, card } = await openShop(await open());
    let lateOrganization = acme;
    await loyalty.transaction(async (_, organization) => {
      lateOrganization = organization("acme");
      void lateOrganization.stamps.add(card);
      void lateOrganization.stamps.add(card);
    });
    expect(await readStamps(acme, card)).toBe(2);
    await expect(lateOrganization.stamps.add(card)).rejects.toThrow();
    expect(await readStamps(acme, card)).toBe(2);
  });

  it("is rolled back when it times out, and other changes continue", async () => {
    const { db, loyalty, acme, card } = await openShop(await open());
    const late = loyalty.transaction(
      async (tx, organization) => {
        await organization("acme").stamps.add(card);
        await sleep(200);
        await tx.query(insert, []);
      },
      { timeoutMs: 50 },
    );
    expect(await getErrorDetail(late)).toMatchObject(unavailable);
    await expect(late).rejects.toThrow("still open when it timed out");
    await acme.stamps.add(card);
    await sleep(200);
    expect(await listOrders(db)).toEqual([]);
    expect(await readStamps(acme, card)).toBe(1);
  });

  it("times out if it waits for a change outside of it, which is then made", async () => {
    const { loyalty, acme, card } = await openShop(await open());
    const outside: Promise<unknown>[] = [];
    const stuck = loyalty.transaction(
      async (_, organization) => {
        await organization("acme").stamps.add(card);
        outside.push(acme.stamps.add(card, { count: 3 }));
        await Promise.all(outside);
      },
      { timeoutMs: 100 },
    );
    expect(await getErrorDetail(stuck)).toMatchObject(unavailable);
    await Promise.all(outside);
    expect(await readStamps(acme, card)).toBe(3);
  });

  it("has the requested scopes", async () => {
    const { loyalty, card } = await openShop(await open());
    await loyalty.transaction(async (_, organization) => {
      const reader = organization("acme", { scopes: ["pass:read"] });
      expect(await readStamps(reader, card)).toBe(0);
      expect(await getErrorDetail(reader.stamps.add(card))).toMatchObject({ code: "access_denied" });
    });
  });

  it("is awaited when the service closes, and can't be opened afterwards", async () => {
    const { loyalty, card } = await openShop(await open());
    let isEnded = false;
    const sale = loyalty.transaction(async (_, organization) => {
      await sleep(50);
      await organization("acme").stamps.add(card);
      isEnded = true;
    });
    await sleep(10);
    await loyalty.close();
    expect(isEnded).toBe(true);
    await sale;
    expect(await getErrorDetail(loyalty.transaction(async () => undefined))).toMatchObject(unavailable);
  });
});

describe("the connection of a managed transaction on SQLite", () => {
  async function openFile() {
    const file = createTemporaryFile();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }) });
    const own = new Sqlite(file);
    own.exec("create table orders (id text primary key, customer text not null)");
    onTestFinished(async () => {
      await loyalty.close();
      own.close();
    });
    const acme = loyalty.organization("acme");
    return { loyalty, own, acme, ...(await createCustomer(acme)) };
  }

  it("works with Drizzle and Kysely, including nested transactions", async () => {
    const { loyalty, own, card } = await openFile();
    const orders = sqliteTable("orders", { id: text().primaryKey(), customer: text().notNull() });
    await loyalty.transaction(async (tx, organization) => {
      const db = drizzle(tx.client);
      db.insert(orders).values({ id: "order-1", customer: "Ada" }).run();
      db.transaction((inner) => inner.insert(orders).values({ id: "order-2", customer: "Ada" }).run());
      await organization("acme").stamps.add(card);
      const dialect = new SqliteDialect({ database: tx.client });
      await insertOrder(new Kysely<Shop>({ dialect }), "order-3");
    });
    expect(own.prepare("select id from orders order by id").pluck().all()).toEqual([
      "order-1",
      "order-2",
      "order-3",
    ]);
  });

  it("is closed afterwards, and the host can't end its transaction", async () => {
    const { loyalty, own, acme, card } = await openFile();
    const client = await loyalty.transaction(async (tx) => tx.client);
    expect(client.open).toBe(false);
    const transactionEnd = loyalty.transaction(async (tx, organization) => {
      await organization("acme").stamps.add(card);
      tx.client.exec("rollback");
    });
    await expect(transactionEnd).rejects.toThrow(TypeError);
    expect(await readStamps(acme, card)).toBe(0);
    own.exec("begin immediate; commit");
  });

  it("waits for another program that writes, without blocking other calls", async () => {
    const { loyalty, own, acme, card } = await openFile();
    own.exec("begin immediate");
    const sale = loyalty.transaction(async (_, organization) => organization("acme").stamps.add(card));
    for (let turn = 0; turn < 20; turn += 1) await acme.users.get("nobody").catch(() => undefined);
    own.exec("commit");
    expect((await sale).currentStamps).toBe(1);
  });

  it("is refused when a thousand transactions are already waiting", async () => {
    const { loyalty } = await openFile();
    const all = await Promise.allSettled(
      Array.from({ length: 1_100 }, () => loyalty.transaction(async () => undefined)),
    );
    const rejection = all.filter(({ status }) => status === "rejected");
    expect(rejection.length).toBeGreaterThan(0);
    expect(rejection.length).toBeLessThanOrEqual(100);
    for (const outcome of rejection) expect(outcome).toMatchObject({ reason: unavailable });
  });
});

it("memory storage has no managed transactions", async () => {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  await expect(loyalty.transaction(async () => undefined)).rejects.toThrow(TypeError);
});
