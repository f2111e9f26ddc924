/** Storage in a Postgres database. */
import { isLoyaltyError } from "../../src/errors.js";
import type { StorageAdapter } from "../../src/storage/storage-adapter.js";
import type { Migration } from "../kysely/migrations/migrations.js";
import { sqlStorage } from "../kysely/storage.js";
import { ChangeTurns } from "./change-turns.js";
import { CommitPositions, positionOf } from "./commit-positions.js";
import { Connections } from "./connections.js";
import { type CommitListener, PostgresDatabase } from "./database.js";
import { postgresDialect } from "./dialect.js";
import { isRefusal } from "./errors.js";
import type { PostgresPool } from "./host-pool.js";
import type { LentPgClient } from "./lent-client.js";
import { migrateTables, migrationScript } from "./migration.js";
import { type PostgresOptions, type PostgresSettings, settingsOf } from "./options.js";
import { hearErrors, openPool } from "./pool.js";
import { Replica } from "./replica.js";
import { ReplicatedDatabase } from "./replicated.js";

export type { PostgresPool, PostgresPoolClient, PostgresQuery } from "./host-pool.js";
export type { LentPgClient, Migration, PostgresOptions };

const dialect = postgresDialect();

/** How many connections a pool of `pg` has that does not tell. */
const USUAL_SIZE = 10;

/** A server that writes, and servers that follow it: URLs, or pools of the host's. */
export interface PostgresServers {
  readonly primary: string | PostgresPool;
  readonly replicas: readonly (string | PostgresPool)[];
}

/** Storage on a primary and its replicas. Each is an LSN, for `seen` of the storage in another process. */
export interface ReplicatedStorage extends StorageAdapter<LentPgClient> {
  /** Where the primary is: what was committed until now is before that. */
  position(): Promise<string>;
  /** From now on, reads see what was committed before this position. @throws {TypeError} when it is none. */
  seen(position: string): void;
}

/**
 * Storage on a Postgres server, version 14 or later, whose tables are brought to this release. Any number of processes
 * may use it. Needs the package `pg`.
 * @param server a URL (`postgres://…`), for which a pool is opened and closed with the storage; or a pool of the host's,
 *   which stays open. Errors of its connections end no process from then on, since the next query tells them.
 * @throws when the server refuses the connection, its database is not in UTF-8, or a later release made its tables; a
 *   `storage_unavailable` {@link LoyaltyError} when it can't be reached. {RangeError} for an option that is none.
 */
export function postgresStorage(
  server: string | PostgresPool,
  options?: PostgresOptions,
): Promise<StorageAdapter<LentPgClient>>;
/**
 * The same on a primary and its replicas, which answer reads that take long: lists, searches, exports. Those see all that
 * this storage has committed for their organization, and what others have, a replica's lag later. A replica that is behind,
 * or fails, is left out.
 * @param servers the options are for each of them.
 */
export function postgresStorage(
  servers: PostgresServers,
  options?: PostgresOptions,
): Promise<ReplicatedStorage>;
export async function postgresStorage(
  server: string | PostgresPool | PostgresServers,
  options?: PostgresOptions,
): Promise<StorageAdapter<LentPgClient>> {
  if (typeof server === "object" && "primary" in server)
    return replicatedStorage(server, settingsOf(options));
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

async function replicatedStorage(
  { primary, replicas }: PostgresServers,
  settings: PostgresSettings,
): Promise<ReplicatedStorage> {
  const positions = new CommitPositions();
  const written = connected(primary, settings, (...commit) => positions.note(...commit));
  const followers = replicas.map((server) => new Replica(connected(server, settings)));
  const database = new ReplicatedDatabase(written, followers, positions);
  const migrated = migrateTables(dialect, written);
  // A replica may be without the tables still.
  const noted = migrated.then(async () => positions.note(undefined, await database.position()));
  await closingOnFailure(database, noted);
  return Object.assign(sqlStorage(dialect, database), {
    position: () => database.position(),
    seen(position: string) {
      positionOf(position);
      positions.note(undefined, position);
    },
  });
}

function connected(
  server: string | PostgresPool,
  settings: PostgresSettings,
  onCommit: CommitListener | null = null,
): PostgresDatabase {
  if (typeof server === "string") {
    const pool = openPool(server, settings);
    const turns = new ChangeTurns(settings.poolSize);
    return new PostgresDatabase(new Connections(pool, settings), turns, () => pool.end(), onCommit);
  }
  const unhear = hearErrors(server);
  const { max = USUAL_SIZE, connectionTimeoutMillis } = server.options ?? {};
  const turns = new ChangeTurns(max, connectionTimeoutMillis || undefined);
  return new PostgresDatabase(new Connections(server, settings), turns, async () => unhear(), onCommit);
}

async function closingOnFailure(
  database: { close(): Promise<void> },
  opening: Promise<unknown>,
): Promise<void> {
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
