import { isLoyaltyError } from "../../src/errors.js";
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { Migration } from "../kysely/migrations/migrations.js";
import { sqlStorage } from "../kysely/storage.js";
import { ChangeTurns } from "./change-turns.js";
import { Connections } from "./connections.js";
import { PostgresDatabase } from "./database.js";
import { postgresDialect } from "./dialect.js";
import { isRefusal } from "./errors.js";
import type { PostgresPool } from "./host-pool.js";
import type { LentPgClient } from "./lent-client.js";
import { migrateTables, migrationScript } from "./migration.js";
import { type PostgresOptions, type PostgresSettings, settingsOf } from "./options.js";
import { hearErrors, openPool } from "./pool.js";

export type { PostgresPool, PostgresPoolClient, PostgresQuery } from "./host-pool.js";
export type { LentPgClient, Migration, PostgresOptions };

const dialect = postgresDialect();

/** How many connections a pool of `pg` has that does not tell. */
const USUAL_SIZE = 10;

/**
 * Storage on a Postgres server, version 14 or later, whose tables are brought to this release. Any number of processes
 * may use it. Needs the package `pg`.
 * @param server a URL (`postgres://…`), for which a pool is opened and closed with the storage; or a pool of the host's,
 *   which stays open. Errors of its connections end no process from then on, since the next query tells them.
 * @throws when the server refuses the connection, its database is not in UTF-8, or a later release made its tables; a
 *   `storage_unavailable` {@link LoyaltyError} when it can't be reached. {RangeError} for an option that is none.
 */
export async function postgresStorage(
  server: string | PostgresPool,
  options?: PostgresOptions,
): Promise<StorageAdapter<LentPgClient>> {
  const database = connected(server, settingsOf(options));
  await closingOnFailure(database, migrateTables(dialect, database));
  return sqlStorage(dialect, database);
}

/**
 * Only brings the tables of a database to this release, as {@link postgresStorage} does too.
 * @returns the versions of the tables before and after; 0 is a database without any.
 * @throws as {@link postgresStorage}.
 */
export async function migratePostgres(
  server: string | PostgresPool,
  options?: PostgresOptions,
): Promise<Migration> {
  const database = connected(server, settingsOf(options));
  return plainly(migrateTables(dialect, database)).finally(() => database.close());
}

/**
 * The SQL that {@link migratePostgres} would run, for who runs it by hand. Changes nothing.
 * @throws as {@link postgresStorage}.
 */
export async function postgresMigrationScript(
  server: string | PostgresPool,
  options?: PostgresOptions,
): Promise<string> {
  const database = connected(server, settingsOf(options));
  return plainly(migrationScript(dialect, database)).finally(() => database.close());
}

function connected(server: string | PostgresPool, settings: PostgresSettings): PostgresDatabase {
  if (typeof server === "string") {
    const pool = openPool(server, settings);
    const turns = new ChangeTurns(settings.poolSize);
    return new PostgresDatabase(new Connections(pool, settings), turns, () => pool.end());
  }
  const unhear = hearErrors(server);
  const { max = USUAL_SIZE, connectionTimeoutMillis } = server.options ?? {};
  const turns = new ChangeTurns(max, connectionTimeoutMillis || undefined);
  return new PostgresDatabase(new Connections(server, settings), turns, async () => unhear());
}

async function closingOnFailure(database: PostgresDatabase, opening: Promise<unknown>): Promise<void> {
  try {
    await plainly(opening);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Who opens a database can mend what the server refuses. @throws that in place of `storage_unavailable`. */
async function plainly<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw isLoyaltyError(error, "storage_unavailable") && isRefusal(error.cause) ? error.cause : error;
  }
}
