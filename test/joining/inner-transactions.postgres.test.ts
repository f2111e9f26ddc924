import { drizzle } from "drizzle-orm/node-postgres";
import Knex from "knex";
import { LoyaltyService } from "loyalty-kit";
import { fromDrizzle, fromKnex, fromTypeOrm } from "loyalty-kit/joining";
import { postgresStorage } from "loyalty-kit/postgres";
import type { HostTransaction } from "loyalty-kit/storage";
import pg from "pg";
import { DataSource } from "typeorm";
import { describe, expect, it, onTestFinished } from "vitest";
import { createPlacePool } from "../postgres/place-pool.js";
import { createCustomer, readStamps } from "./shop.js";

const newPlace = createPlacePool(async (pool) => (await postgresStorage(pool)).close());

/** Begins a transaction inside another one, and passes on both. */
type NestingLibrary = (
  outer: (tx: HostTransaction) => Promise<unknown>,
  inner: (tx: HostTransaction) => Promise<unknown>,
) => Promise<void>;

const libraries: Record<
  string,
  (url: string) => Promise<{ runNested: NestingLibrary; close(): Promise<unknown> }>
> = {
  async Drizzle(url) {
    const pool = new pg.Pool({ connectionString: url });
    return {
      runNested: (outer, inner) =>
        drizzle(pool).transaction(async (tx) => {
          await outer(fromDrizzle(tx));
          await tx.transaction((within) => inner(fromDrizzle(within))).catch(() => undefined);
          await outer(fromDrizzle(tx));
        }),
      close: () => pool.end(),
    };
  },
  async Knex(url) {
    const knex = Knex({ client: "pg", connection: url });
    return {
      runNested: (outer, inner) =>
        knex.transaction(async (trx) => {
          await outer(fromKnex(trx));
          await trx.transaction((within) => inner(fromKnex(within))).catch(() => undefined);
          await outer(fromKnex(trx));
        }),
      close: () => knex.destroy(),
    };
  },
  async TypeORM(url) {
    const source = await new DataSource({ type: "postgres", url, logging: false }).initialize();
    return {
      runNested: (outer, inner) =>
        source.transaction(async (manager) => {
          await outer(fromTypeOrm(manager));
          await manager.transaction((within) => inner(fromTypeOrm(within))).catch(() => undefined);
          await outer(fromTypeOrm(manager));
        }),
      close: () => source.destroy(),
    };
  },
};

describe.each(Object.entries(libraries))("a nested transaction of %s", (_, open) => {
  it("undoes only its own joined calls when it is rolled back", async () => {
    const { pool, returnPlace: giveBack } = await newPlace();
    const { runNested: nested, close } = await open(pool.options.connectionString ?? "");
    const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
    onTestFinished(async () => {
      await close();
      await loyalty.close();
      await giveBack();
    });
    const acme = loyalty.organization("acme");
    const { card } = await createCustomer(acme);
    await nested(
      (tx) => acme.joining(tx).stamps.add(card),
      async (tx) => {
        await acme.joining(tx).stamps.add(card, { count: 4 });
        throw new Error("the card was declined");
      },
    );
    expect(await readStamps(acme, card)).toBe(2);
    expect((await acme.stamps.history(card)).content).toHaveLength(2);
  });
});
