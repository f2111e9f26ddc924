import type pg from "pg";
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { Migration } from "../kysely/migrations/migrations.js";
import { sqlStorage } from "../kysely/storage.js";
import { PostgresDatabase } from "./database.js";
import { postgresDialect } from "./dialect.js";
import { migrateTables, migrationScript } from "./migration.js";
import { openPool, withErrorEvents, withoutErrorEvents } from "./pool.js";

export type { Migration };

const dialect = postgresDialect();

/**
 * Storage on a Postgres server, version 14 or later, whose tables are brought to this release. Any number of processes
 * may use it. Needs the package `pg`.
 * @param server a URL (`postgres://…`), for which a pool of 10 connections is opened and closed with the storage; or a
 *   pool of the host's, which stays open. Errors of its idle connections are ignored from then on, since the next
 *   query tells them.
 * @throws when the server refuses the connection, or a later release made its tables; a `storage_unavailable`
 *   {@link LoyaltyError} when it can't be reached.
 */
export async function postgresStorage(server: string | pg.Pool): Promise<StorageAdapter> {
  const database = connected(server);
  await closingOnFailure(database, migrateTables(dialect, database));
  return sqlStorage(dialect, database);
}

/**
 * Only brings the tables of a database to this release, as {@link postgresStorage} does too.
 * @returns the versions of the tables before and after; 0 is a database without any.
 * @throws as {@link postgresStorage}.
 */
export function migratePostgres(server: string | pg.Pool): Promise<Migration> {
  const database = connected(server);
  return migrateTables(dialect, database).finally(() => database.close());
}

/**
 * The SQL that {@link migratePostgres} would run, for who runs it by hand. Changes nothing.
 * @throws as {@link postgresStorage}.
 */
export function postgresMigrationScript(server: string | pg.Pool): Promise<string> {
  const database = connected(server);
  return migrationScript(dialect, database).finally(() => database.close());
}

function connected(server: string | pg.Pool): PostgresDatabase {
  if (typeof server === "string") {
    const pool = openPool(server);
    return new PostgresDatabase(pool, () => pool.end());
  }
  return new PostgresDatabase(withoutErrorEvents(server), async () => withErrorEvents(server));
}

async function closingOnFailure(database: PostgresDatabase, opening: Promise<unknown>): Promise<void> {
  try {
    await opening;
  } catch (error) {
    await database.close();
    throw error;
  }
}
