import { Kysely, PostgresDialect, sql } from "kysely";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { getErrorDetail } from "../kit/refusal.js";
import { createPlacePool, loyaltyTables } from "../postgres/place-pool.js";
import type { Shop } from "./host.js";
import { createCustomer, insertOrder, listOrders, listOutbox, readStamps, recordEvents } from "./shop.js";

const newPlace = createPlacePool(
  async (pool) => {
    await (await postgresStorage(pool)).close();
    await pool.query("create table orders (id text primary key, customer text not null)");
  },
  [...loyaltyTables, "orders"],
);

/** Opens a shop with its own pool, created with these options. */
async function openShop(options: pg.PoolConfig = {}) {
  const { pool: placePool, returnPlace: giveBack } = await newPlace();
  const pool = new pg.Pool({ ...placePool.options, ...options });
  const storage = await postgresStorage(pool);
  const loyalty = new LoyaltyService({ storage });
  onTestFinished(async () => {
    await loyalty.close();
    await pool.end();
    await giveBack();
  });
  const acme = loyalty.organization("acme");
  const db = new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) });
  return { db, storage, loyalty, acme, ...(await createCustomer(acme)) };
}

const INT8 = 20;
const withParser = (parse: (text: string) => unknown): pg.CustomTypesConfig => ({
  getTypeParser: (oid: number) => (oid === INT8 ? parse : pg.types.getTypeParser(oid)),
});

describe("a joined transaction on Postgres", () => {
  it.each([
    { kind: "text", types: withParser(String) },
    { kind: "number", types: withParser(Number) },
    { kind: "bigint", types: withParser(BigInt) },
  ])("accepts a driver that returns integers as $kind", async ({ types }) => {
    const { db, acme, ada, card } = await openShop({ types });
    await db.transaction().execute(async (trx) => {
      const joinedOrganization = acme.joining(trx);
      await joinedOrganization.stamps.add(card, { count: 12 });
      await joinedOrganization.tags.create({ name: "VIP" });
      await joinedOrganization.tags.assign(ada, "vip");
      expect(await joinedOrganization.stamps.state(card)).toMatchObject({
        currentStamps: 2,
        timesCompleted: 1,
      });
      expect((await joinedOrganization.contacts.list({ search: "ada@example" })).totalElements).toBe(1);
      expect((await joinedOrganization.tags.users("vip")[Symbol.asyncIterator]().next()).value?.id).toBe(ada);
    });
    expect(await acme.stamps.state(card)).toMatchObject({ currentStamps: 2, rewardsAvailable: 1 });
    expect((await acme.tags.verifyIndex()).wrong).toEqual([]);
  });

  it("continues after a lock timeout", async () => {
    const { db, acme, card } = await openShop();
    const first = await db.startTransaction().execute();
    await acme.joining(first).stamps.add(card);
    await db.transaction().execute(async (trx) => {
      await insertOrder(trx, "order-2");
      await sql`set local lock_timeout = 50`.execute(trx);
      const error = await getErrorDetail(acme.joining(trx).stamps.add(card));
      expect(error).toEqual({ code: "storage_unavailable", params: null });
    });
    await first.rollback().execute();
    expect(await listOrders(db)).toEqual(["order-2"]);
    expect(await readStamps(acme, card)).toBe(0);
  });

  it("is applied in full or not at all at every isolation level", async () => {
    const { db, acme, card } = await openShop();
    for (const level of ["repeatable read", "serializable"] as const) {
      const trx = await db.startTransaction().setIsolationLevel(level).execute();
      await listOrders(trx);
      await acme.stamps.add(card);
      expect(await getErrorDetail(acme.joining(trx).stamps.add(card))).toMatchObject({
        code: "storage_unavailable",
      });
      await trx.rollback().execute();
    }
    expect(await readStamps(acme, card)).toBe(2);
    expect((await acme.stamps.history(card)).content).toHaveLength(2);
  });

  it("runs beside one of another organization, whose listeners don't wait for it", async () => {
    const { db, loyalty, acme, card } = await openShop();
    const globex = loyalty.organization("globex");
    const { card: other } = await createCustomer(globex);
    const { events, count } = recordEvents(loyalty, "stamp.added");
    const open = await db.startTransaction().execute();
    await acme.joining(open).stamps.add(card);
    await db.transaction().execute((trx) => globex.joining(trx).stamps.add(other));
    await count(1);
    expect(events).toEqual(["globex stamp.added"]);
    await open.commit().execute();
    await count(2);
  });

  it("needs one connection of the pool, even while listeners wait for the commit", async () => {
    const { db, storage, loyalty, acme, card } = await openShop({ max: 2 });
    const { count } = recordEvents(loyalty, "stamp.added");
    await db.transaction().execute(async (trx) => {
      await acme.joining(trx).stamps.add(card);
      for (let calls = 0; calls < 10; calls += 1) expect(await readStamps(acme, card)).toBe(0);
      await acme.joining(trx).stamps.add(card);
    });
    await count(2);
    expect(await listOutbox(storage)).toEqual(["4 stamp.added", "5 stamp.added"]);
  });
});
