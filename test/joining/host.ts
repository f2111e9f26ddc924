import Sqlite from "better-sqlite3";
import { Kysely, PostgresDialect, SqliteDialect, sql } from "kysely";
import type { StorageAdapter } from "loyalty-kit";
import { postgresStorage } from "loyalty-kit/postgres";
import { isInThisRun } from "../kit/this-run.js";
import { createPlacePool, loyaltyTables } from "../postgres/place-pool.js";
import { createStorage } from "../sqlite/new-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

/** The host's own tables. */
export interface Shop {
  orders: { id: string; customer: string };
}

/** A host with its own tables, which uses Kysely on the database that has the tables of loyalty-kit. */
export interface Host {
  readonly db: Kysely<Shop>;
  readonly storage: StorageAdapter;
  /** Calling it twice is harmless. */
  close(): Promise<void>;
}

const orders = sql`create table orders (id text primary key, customer text not null)`;

const newPostgres = createPlacePool(
  async (pool) => {
    const storage = await postgresStorage(pool);
    await orders.execute(new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) }));
    await storage.close();
  },
  [...loyaltyTables, "orders"],
);

const everyHost: readonly { readonly name: string; readonly open: () => Promise<Host> }[] = [
  {
    name: "SQLite",
    async open() {
      const file = createTemporaryFile();
      const storage = await createStorage(file);
      const db = new Kysely<Shop>({
        dialect: new SqliteDialect({ database: new Sqlite(file, { timeout: 0 }) }),
      });
      await orders.execute(db);
      return createHost(db, storage, () => db.destroy());
    },
  },
  {
    name: "Postgres",
    async open() {
      const { pool, returnPlace: giveBack } = await newPostgres();
      const db = new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) });
      return createHost(db, await postgresStorage(pool), giveBack);
    },
  },
];

/** The hosts on the databases that this run tests. */
export const hosts = everyHost.filter(({ name }) => isInThisRun(name));

function createHost(db: Kysely<Shop>, storage: StorageAdapter, release: () => Promise<void>): Host {
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= storage.close().then(release);
    return closing;
  };
  return { db, storage, close };
}
