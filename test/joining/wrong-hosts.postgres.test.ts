import Sqlite from "better-sqlite3";
import { drizzle } from "drizzle-orm/node-postgres";
import Knex from "knex";
import { Kysely, PostgresDialect } from "kysely";
import { LoyaltyService } from "loyalty-kit";
import { fromDrizzle, fromKnex, fromMikroOrm, fromPg, fromPrisma, fromTypeOrm } from "loyalty-kit/joining";
import { postgresStorage } from "loyalty-kit/postgres";
import pg from "pg";
import { DataSource } from "typeorm";
import { describe, expect, it, onTestFinished } from "vitest";
import { untyped } from "../kit/refusal.js";
import { createPlacePool } from "../postgres/place-pool.js";
import { createPrismaClient } from "./prisma-client.js";

const newPlace = createPlacePool(async (pool) => (await postgresStorage(pool)).close());

async function openAcme() {
  const { pool: placePool, returnPlace: giveBack } = await newPlace();
  const pool = new pg.Pool(placePool.options);
  const loyalty = new LoyaltyService({ storage: await postgresStorage(pool) });
  onTestFinished(async () => {
    await loyalty.close();
    await pool.end();
    await giveBack();
  });
  return { pool, url: placePool.options.connectionString ?? "", acme: loyalty.organization("acme") };
}

/** Opens handles that aren't in a transaction or aren't a bridge, in hosts on Postgres. */
async function openHandles() {
  const { pool, url, acme } = await openAcme();
  const client = await pool.connect();
  const knex = Knex({ client: "pg", connection: url });
  const source = await new DataSource({ type: "postgres", url, logging: false }).initialize();
  const runner = source.createQueryRunner();
  const prisma = createPrismaClient("postgresql", url);
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
  const connection = new Sqlite(":memory:");
  onTestFinished(async () => {
    client.release();
    await knex.destroy();
    await runner.release();
    await source.destroy();
    await prisma.$disconnect();
    connection.close();
  });
  const trx = await knex.transaction();
  onTestFinished(async () => void (await trx.rollback()));
  const em = { getTransactionContext: () => undefined };
  const unbridged: readonly (readonly [given: unknown, instead: RegExp])[] = [
    [pool, /fromPg\(client\) with one client from the pool/],
    [client, /fromPg\(client\)/],
    [new pg.Client(url), /fromPg\(client\)/],
    [knex, /fromKnex\(trx\)/],
    [trx, /fromKnex\(trx\)/],
    [drizzle(pool), /fromDrizzle\(tx\)/],
    [source, /fromTypeOrm\(manager\)/],
    [source.manager, /fromTypeOrm\(manager\)/],
    [runner, /fromTypeOrm\(queryRunner\)/],
    [prisma, /fromPrisma\(tx\)/],
    [kysely, /the trx from Kysely/],
    [em, /fromMikroOrm\(em\)/],
    [connection, /fromBetterSqlite3\(connection\)/],
    [Promise.resolve(fromPg(client)), /the promise's result/],
  ];
  return { acme, pool, knex, source, prisma, drizzle: drizzle(pool), em, unbridged };
}

const nothing = [undefined, null, "begin", 7, {}, [], () => undefined, { query: "select 1" }];

describe("a handle that isn't an open transaction", () => {
  it("is refused by `joining`, with an error that says what to pass instead", async () => {
    const { acme, unbridged } = await openHandles();
    for (const [handle, instead] of unbridged) {
      const joinHandle = () => acme.joining(untyped(handle));
      expect(joinHandle).toThrow(TypeError);
      expect(joinHandle).toThrow(instead);
    }
    for (const value of nothing) expect(() => acme.joining(untyped(value))).toThrow(TypeError);
  });

  it("is refused by the bridge of its own library and by those of others", async () => {
    const { pool, knex, source, prisma, drizzle, em, unbridged } = await openHandles();
    expect(() => fromPg(untyped(pool))).toThrow(/pg client, not the pool/);
    expect(() => fromKnex(untyped(knex))).toThrow(/knex\.transaction/);
    expect(() => fromTypeOrm(untyped(source))).toThrow(/dataSource\.transaction/);
    expect(() => fromTypeOrm(untyped(source.manager))).toThrow(/dataSource\.transaction/);
    expect(() => fromPrisma(untyped(prisma))).toThrow(/prisma\.\$transaction/);
    expect(() => fromDrizzle(untyped(drizzle))).toThrow(/db\.transaction/);
    expect(() => fromMikroOrm(em)).toThrow(/em\.transactional/);
    const promise = unbridged.map(([value]) => value).find((given) => given instanceof Promise);
    for (const bridge of [fromPg, fromKnex, fromTypeOrm, fromPrisma, fromMikroOrm]) {
      for (const value of [...nothing, promise]) expect(() => bridge(untyped(value))).toThrow(TypeError);
    }
    for (const value of [undefined, null, "begin", promise]) {
      expect(() => fromDrizzle(untyped(value))).toThrow(TypeError);
    }
  });
});

describe("a host's own bridge that returns malformed results", () => {
  /** Ways to convert a result of pg. */
  const answers: Record<string, (result: pg.QueryResult) => unknown> = {
    "the driver's own result": (result) => result,
    "no count": ({ rows }) => ({ rows }),
    "a count that is undefined": ({ rows }) => ({ rows, count: undefined }),
    "a count that is null": ({ rows }) => ({ rows, count: null }),
    "a count that is a string": ({ rows, rowCount }) => ({ rows, count: String(rowCount ?? 0) }),
    "a count that is a bigint": ({ rows, rowCount }) => ({ rows, count: BigInt(rowCount ?? 0) }),
    "a count that is NaN": ({ rows }) => ({ rows, count: Number.NaN }),
    "no rows": ({ rowCount }) => ({ count: rowCount ?? 0 }),
    "rows that are null": ({ rowCount }) => ({ rows: null, count: rowCount ?? 0 }),
    "rows instead of a result": ({ rows }) => rows,
    nothing: () => undefined,
  };

  it.each(Object.entries(answers))("is refused before anything is written: %s", async (_, answer) => {
    const { pool, acme } = await openAcme();
    const client = await pool.connect();
    onTestFinished(() => client.release());
    await client.query("begin");
    const joinedOrganization = acme.joining(
      untyped({
        query: async (sql: string, parameters: unknown[]) => answer(await client.query(sql, [...parameters])),
      }),
    );
    await expect(joinedOrganization.tags.create({ name: "VIP" })).rejects.toThrow(TypeError);
    await expect(joinedOrganization.tags.create({ name: "VIP" })).rejects.toThrow(
      /must return rows \(an array of objects\) and count/,
    );
    await client.query("commit");
    expect(await acme.tags.list()).toEqual([]);
  });

  it("is refused in a read too, if rows are arrays", async () => {
    const { pool, acme } = await openAcme();
    await acme.tags.create({ name: "VIP" });
    const joinedOrganization = acme.joining(
      untyped({
        async query(text: string, values: unknown[]) {
          const { rows, rowCount } = await pool.query({ text, values: [...values], rowMode: "array" });
          return { rows, count: rowCount ?? 0 };
        },
      }),
    );
    await expect(joinedOrganization.tags.list()).rejects.toThrow(/rows \(an array of objects\)/);
  });
});
