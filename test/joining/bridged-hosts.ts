import Sqlite from "better-sqlite3";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle as drizzleSqlite } from "drizzle-orm/better-sqlite3";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import Knex from "knex";
import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import type { StorageAdapter } from "loyalty-kit";
import {
  fromBetterSqlite3,
  fromDrizzle,
  fromKnex,
  fromPg,
  fromPrisma,
  fromTypeOrm,
  type OpenTransaction,
} from "loyalty-kit/joining";
import { postgresStorage } from "loyalty-kit/postgres";
import type { HostTransaction } from "loyalty-kit/storage";
import pg from "pg";
import { DataSource } from "typeorm";
import { untyped } from "../kit/refusal.js";
import { isInThisRun } from "../kit/this-run.js";
import { createPlacePool, loyaltyTables } from "../postgres/place-pool.js";
import { createStorage } from "../sqlite/new-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { createPrismaClient } from "./prisma-client.js";

/** Runs a statement without parameters through the host's own library. */
type Execute = (sql: string) => unknown;

/** A host that has its tables beside loyalty-kit's tables, and its own database library. */
export interface Library {
  /** Commits when `work` resolves, rolls back when it rejects. */
  transaction<T>(work: (tx: HostTransaction, execute: Execute) => Promise<T>): Promise<T>;
  /** Returns a handle of the library that isn't in a transaction, but could be mistaken for one. */
  idleTransaction(): HostTransaction;
  close(): Promise<unknown>;
}

export interface BridgedHost extends Library {
  readonly storage: StorageAdapter;
  readonly database: "SQLite" | "Postgres";
  listOrders(): Promise<string[]>;
  /**
   * Makes the server close the connections whose transactions have touched the orders.
   * @param options `oncePending` waits until one of them waits for a lock.
   */
  loseConnections(options?: { readonly oncePending: boolean }): Promise<void>;
}

const orders = "create table orders (id text primary key, customer text not null)";
const listOrdersSql = "select id from orders order by id";

/** Query for the server processes whose transactions have touched the orders. */
const touching = "select pid from pg_locks where relation = 'orders'::regclass and pid <> pg_backend_pid()";

export async function loseConnections(
  pool: pg.Pool,
  { oncePending } = { oncePending: false },
): Promise<void> {
  const pending = `select from pg_locks where not granted and pid in (${touching})`;
  while (oncePending && (await pool.query(pending)).rowCount === 0);
  await pool.query(`select pg_terminate_backend(pid, 5000) from (${touching}) as touching`);
}

/** Runs one transaction at a time, for libraries that have one connection and don't queue transactions. */
function createSerialQueue(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined);
    return next;
  };
}

const onSqlite: Record<string, (file: string) => Promise<Library>> = {
  async "better-sqlite3"(file) {
    const connection = new Sqlite(file);
    return wrapConnection(
      (sql) => connection.exec(sql),
      () => fromBetterSqlite3(connection),
      () => connection.close(),
    );
  },
  async Drizzle(file) {
    const connection = new Sqlite(file);
    const db = drizzleSqlite(connection);
    return wrapConnection(
      (sql) => db.run(sql),
      () => fromDrizzle(db),
      () => connection.close(),
    );
  },
  async Knex(file) {
    const knex = Knex({ client: "better-sqlite3", connection: { filename: file }, useNullAsDefault: true });
    return {
      transaction: (work) => knex.transaction((trx) => work(fromKnex(trx), (sql) => trx.raw(sql))),
      idleTransaction: () => fromKnex(knex),
      close: () => knex.destroy(),
    };
  },
  async TypeORM(file) {
    const source = await new DataSource({ type: "better-sqlite3", database: file }).initialize();
    const inTurn = createSerialQueue();
    return {
      transaction: (work) =>
        inTurn(() =>
          source.transaction((manager) => work(fromTypeOrm(manager), (sql) => manager.query(sql))),
        ),
      idleTransaction: () => fromTypeOrm(source.createQueryRunner()),
      close: () => source.destroy(),
    };
  },
  async Prisma(file) {
    const prisma = createPrismaClient("sqlite", file);
    return {
      transaction: (work) =>
        prisma.$transaction((tx: Raw) => work(fromPrisma(tx), (sql) => tx.$executeRawUnsafe(sql))),
      idleTransaction: () => fromPrisma(prisma),
      close: () => prisma.$disconnect(),
    };
  },
  async "a bridge of the host's own"(file) {
    const connection = new Sqlite(file);
    return wrapConnection(
      (sql) => connection.exec(sql),
      () => createOwnBridge(connection),
      () => connection.close(),
    );
  },
};

const onPostgres: Record<string, (pool: pg.Pool, url: string) => Promise<Library>> = {
  pg: async (pool) => wrapPool(pool, fromPg),
  "a function": async (pool) =>
    wrapPool(pool, (client) => ({
      async query(sql, parameters) {
        const { rows, rowCount } = await client.query(sql, [...parameters]);
        return { rows, count: rowCount ?? rows.length };
      },
    })),
  async Kysely(pool) {
    const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
    return {
      transaction: (work) =>
        db.transaction().execute((trx) => work(trx, (sql) => trx.executeQuery(CompiledQuery.raw(sql)))),
      idleTransaction: () => untyped(db),
      async close() {},
    };
  },
  async Drizzle(pool) {
    const db = drizzlePg(pool);
    return {
      transaction: (work) =>
        db.transaction((tx) => work(fromDrizzle(tx), (sql) => tx.execute(drizzleSql.raw(sql)))),
      idleTransaction: () => fromDrizzle(untyped(db)),
      async close() {},
    };
  },
  async Knex(_, url) {
    const knex = Knex({
      client: "pg",
      connection: url,
      pool: { min: 0, max: 10 },
      log: { error: ignoreError },
    });
    return {
      transaction: (work) => knex.transaction((trx) => work(fromKnex(trx), (sql) => trx.raw(sql))),
      idleTransaction: () => fromKnex(knex),
      close: () => knex.destroy(),
    };
  },
  async TypeORM(_, url) {
    const source = await new DataSource({
      type: "postgres",
      url,
      logging: false,
      poolErrorHandler() {},
    }).initialize();
    return {
      transaction: (work) =>
        source.transaction((manager) => work(fromTypeOrm(manager), (sql) => manager.query(sql))),
      idleTransaction: () => fromTypeOrm(source.createQueryRunner()),
      close: () => source.destroy(),
    };
  },
  async Prisma(_, url) {
    const prisma = createPrismaClient("postgresql", url);
    return {
      transaction: (work) =>
        prisma.$transaction((tx: Raw) => work(fromPrisma(tx), (sql) => tx.$executeRawUnsafe(sql))),
      idleTransaction: () => fromPrisma(prisma),
      close: () => prisma.$disconnect(),
    };
  },
};

const ignoreError = () => undefined;

interface Raw {
  $queryRawUnsafe(sql: string, ...parameters: unknown[]): PromiseLike<unknown>;
  $executeRawUnsafe(sql: string, ...parameters: unknown[]): PromiseLike<number>;
}

/** Runs transactions on the clients of a pool, with `begin`, `commit` and `rollback`. */
function wrapPool(pool: pg.Pool, bridge: (client: pg.PoolClient | pg.Pool) => HostTransaction): Library {
  return {
    async transaction(work) {
      const client = await pool.connect();
      let isUsable = false;
      try {
        await client.query("begin");
        const result = await work(bridge(client), (sql) => client.query(sql));
        await client.query("commit");
        isUsable = true;
        return result;
      } catch (error) {
        isUsable = await client.query("rollback").then(
          () => true,
          () => false,
        );
        throw error;
      } finally {
        client.release(!isUsable);
      }
    },
    idleTransaction: () => bridge(pool),
    async close() {},
  };
}

/** Runs transactions on one connection, with `begin`, `commit` and `rollback`. */
function wrapConnection(
  execute: Execute,
  currentTransaction: () => HostTransaction,
  close: () => unknown,
): Library {
  const inTurn = createSerialQueue();
  return {
    transaction: (work) =>
      inTurn(async () => {
        execute("begin");
        try {
          const result = await work(currentTransaction(), execute);
          execute("commit");
          return result;
        } catch (error) {
          execute("rollback");
          throw error;
        }
      }),
    idleTransaction: currentTransaction,
    close: async () => close(),
  };
}

/** Creates a bridge that only runs statements: it can't tell whether a transaction is open. */
function createOwnBridge(connection: Sqlite.Database): OpenTransaction {
  return {
    async query(sql, parameters) {
      const statement = connection.prepare(sql);
      if (!statement.reader) return { rows: [], count: statement.run(...parameters).changes };
      const rows = statement.all(...parameters);
      return { rows, count: rows.length };
    },
  };
}

const newPlace = createPlacePool(
  async (pool) => {
    await (await postgresStorage(pool)).close();
    await pool.query(orders);
  },
  [...loyaltyTables, "orders"],
);

/** Wraps `close` so that calling it twice is harmless. */
function callOnce(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}

const everyHost: readonly { readonly name: string; readonly open: () => Promise<BridgedHost> }[] = [
  ...Object.entries(onSqlite).map(([name, open]) => ({
    name: `${name} on SQLite`,
    async open(): Promise<BridgedHost> {
      const file = createTemporaryFile();
      const storage = await createStorage(file);
      const own = new Sqlite(file);
      own.exec(orders);
      const library = await open(file);
      return {
        ...library,
        storage,
        database: "SQLite",
        listOrders: async () => own.prepare<[], string>(listOrdersSql).pluck().all(),
        loseConnections: async () => {
          throw new Error("SQLite has no connections to lose");
        },
        close: callOnce(async () => {
          await storage.close();
          await library.close();
          own.close();
        }),
      };
    },
  })),
  ...Object.entries(onPostgres).map(([name, open]) => ({
    name: `${name} on Postgres`,
    async open(): Promise<BridgedHost> {
      const { pool, returnPlace: giveBack } = await newPlace();
      const url = pool.options.connectionString ?? "";
      // Opened as a host opens it: its connections may be lost.
      const own = new pg.Pool({ connectionString: url });
      own.on("error", ignoreError).on("connect", (client) => client.on("error", ignoreError));
      const storage = await postgresStorage(pool);
      const library = await open(own, url);
      return {
        ...library,
        storage,
        database: "Postgres",
        listOrders: async () => (await own.query<{ id: string }>(listOrdersSql)).rows.map(({ id }) => id),
        loseConnections: (options) => loseConnections(own, options),
        close: callOnce(async () => {
          await storage.close();
          await library.close();
          await own.end();
          await giveBack();
        }),
      };
    },
  })),
];

/** Every library with a bridge, on each database that this run tests. */
export const bridgedHosts = everyHost.filter(({ name }) => isInThisRun(name));
