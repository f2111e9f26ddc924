import { drizzle } from "drizzle-orm/node-postgres";
import { pgTable, text } from "drizzle-orm/pg-core";
import { Kysely, PostgresDialect } from "kysely";
import { LoyaltyService } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import type pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createPlacePool, loyaltyTables } from "../postgres/place-pool.js";
import type { Shop } from "./host.js";
import { createCustomer, readStamps } from "./shop.js";

const newPlace = createPlacePool(
  async (pool) => {
    await (await postgresStorage(pool)).close();
    await pool.query("create table orders (id text primary key, customer text not null)");
  },
  [...loyaltyTables, "orders"],
);

const orders = pgTable("orders", { id: text().primaryKey(), customer: text().notNull() });

async function openShop() {
  const { pool, returnPlace: giveBack } = await newPlace();
  const loyalty = new LoyaltyService({ storage: await postgresStorage<pg.PoolClient>(pool) });
  onTestFinished(async () => {
    await loyalty.close();
    await giveBack();
  });
  const acme = loyalty.organization("acme");
  const listOrders = async () =>
    (await pool.query<{ id: string }>("select id from orders")).rows.map(({ id }) => id);
  return { loyalty, acme, ordered: listOrders, ...(await createCustomer(acme)) };
}

it("the client of a managed transaction on Postgres works with Drizzle, types included", async () => {
  const { loyalty, acme, ordered, ada, card } = await openShop();
  await loyalty.transaction(async (tx, organization) => {
    await drizzle(tx.client).insert(orders).values({ id: "order-1", customer: ada });
    await organization("acme").stamps.add(card);
  });
  expect([await ordered(), await readStamps(acme, card)]).toEqual([["order-1"], 1]);
});

it("the client of a managed transaction on Postgres works with Kysely, types included", async () => {
  const { loyalty, acme, ordered, ada, card } = await openShop();
  const lostTransaction = loyalty.transaction(async ({ client }, organization) => {
    // Kysely releases the client after each statement, but the transaction still needs it.
    const lent = new Proxy(client, {
      get: (target, name) => (name === "release" ? () => {} : Reflect.get(target, name, target)),
    });
    const pool = { connect: async () => lent, end: async () => {} };
    const db = new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) });
    await db.insertInto("orders").values({ id: "order-1", customer: ada }).execute();
    await organization("acme").stamps.add(card);
    expect(await db.selectFrom("orders").select("id").execute()).toEqual([{ id: "order-1" }]);
    throw new Error("the card was declined");
  });
  await expect(lostTransaction).rejects.toThrow("the card was declined");
  expect([await ordered(), await readStamps(acme, card)]).toEqual([[], 0]);
});
