/** Storage in a Postgres database. */

import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { runStep, type Step } from "../../../src/base/concurrency/step.js";
import { isLoyaltyError, unavailable } from "../../../src/base/errors.js";
import { gauges, type PoolStats } from "../../../src/base/signals.js";
import type { LoyaltyService } from "../../../src/loyalty-service.js";
import type {
  ManagedTransaction,
  OpenTransaction,
  StorageAdapter,
} from "../../../src/storage/storage-adapter.js";
import {
  getSchemaVersion,
  type Migration,
  type MigrationOptions,
  NotMigratedError,
} from "../kysely/migrations/migrations.js";
import { Fence } from "../kysely/session/admission.js";
import type {
  ReadSession,
  Session,
  SharedDatabase,
  SqlDatabase,
  SqlSnapshotOptions,
  SqlTransactionOptions,
} from "../kysely/session/session.js";
import { sqlStorage } from "../kysely/storage.js";
import { CommitPositions, parsePosition } from "./commit-positions.js";
import { ConnectionQueue } from "./connection-queue.js";
import { Connections } from "./connections.js";
import { type CommitListener, PostgresDatabase } from "./database.js";
import { postgresDialect } from "./dialect.js";
import { loadDriver } from "./driver.js";
import { isLoginRefused } from "./errors.js";
import type { PostgresPool } from "./host-pool.js";
import type { ManagedPgClient } from "./managed-client.js";
import { assertTables, buildMigrationScript, migrateTables } from "./migration.js";
import { type PostgresOptions, type PostgresSettings, validateOptions } from "./options.js";
import { handlePoolErrors, openPool } from "./pool.js";

/** A query that returns a server's log position: how far a primary has written the log, or how far a replica has replayed it. */
const positionQuery = sql<{ position: string | null }>`
  select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end)::text
  as position`.compile(postgresDialect().db);

/** How long a read waits for a lagging replica, and the pause between checks, in milliseconds. */
const REPLICA_TIMEOUT_MS = 100;

const POLL_INTERVAL_MS = 5;

const RESPONSE_TIMEOUT_MS = 1_000;

const DOWN_DURATION_MS = 5_000;

export type { PostgresPool, PostgresPoolClient, PostgresQuery } from "./host-pool.js";
export type { ManagedPgClient, Migration, MigrationOptions, PostgresOptions };
export { NotMigratedError };

/**
 * A service backed by a Postgres server, for use in function signatures. In its transactions, `tx.client` is a `pg` client.
 * @typeParam Client the type of `tx.client`. Default: `pg.PoolClient`, if the types of `pg` are installed.
 *
 * @example
 * import type { PostgresLoyalty } from "loyalty-kit/postgres";
 *
 * function countOrders(loyalty: PostgresLoyalty) {
 *   return loyalty.transaction((tx) => tx.client.query("select count(*) from orders"));
 * }
 */
export type PostgresLoyalty<Client = ManagedPgClient> = LoyaltyService<Client>;

/** Options for opening Postgres storage, including its time limits. */
export interface PostgresStorageOptions extends PostgresOptions, MigrationOptions {}

const dialect = postgresDialect();

/** Default number of connections in a `pg` pool. */
const DEFAULT_POOL_SIZE = 10;

/** A primary server and its replicas. Each is specified as a URL or as one of your own pools. */
export interface PostgresServers {
  /** The server that accepts writes, as a connection string or a pool. */
  readonly primary: string | PostgresPool;
  /** The read replicas of the primary, each as a connection string or a pool. */
  readonly replicas: readonly (string | PostgresPool)[];
}

/**
 * Storage on a primary and its replicas. Log positions are LSNs, so a position returned by `position` in one process can be passed
 * to `seen` in another.
 */
export interface ReplicatedStorage<Client = ManagedPgClient> extends StorageAdapter<Client> {
  /** Returns the primary's current log position, which covers every commit made so far. */
  position(): Promise<string>;
  /**
   * Ensures that all later reads reflect everything committed up to the given position.
   * @param position a log position returned by `position()`, possibly in another process.
   * @throws {TypeError} if the position is malformed.
   */
  advanceTo(position: string): void;
}

/**
 * Opens storage on a Postgres server, version 14 or later. Any number of processes can share the server. Requires the `pg` package.
 *
 * Creates missing tables, and migrates tables from an earlier release in a single transaction. Processes still running the earlier
 * release can then neither read nor write (`storage_unavailable`). With `migrate: "never"`, a database whose tables are missing or
 * need a migration is rejected instead.
 * @param server a URL (`postgres://…`) or your own pool. For a URL, the storage adapter opens a pool and closes it later. It never
 *   closes your own pool. An error on one of the pool's idle connections doesn't crash the process. Instead, the next query throws
 *   it.
 * @typeParam Client the type of `tx.client` in a managed transaction. Default: `pg.PoolClient`, if the types of `pg` are installed.
 * @throws if the server rejects the connection, the database's encoding isn't UTF-8, or the tables have a later release's schema.
 * @throws {LoyaltyError} `storage_unavailable` if the server can't be reached.
 * @throws {RangeError} if an option is invalid.
 * @throws {NotMigratedError} with `migrate: "never"`, if the tables are missing or have an earlier release's schema.
 * @example
 * import { LoyaltyService } from "loyalty-kit";
 * import { postgresStorage } from "loyalty-kit/postgres";
 *
 * const storage = await postgresStorage("postgres://localhost/cafe", { poolSize: 20 });
 * const loyalty = new LoyaltyService({ storage });
 */
export function postgresStorage<Client extends ManagedPgClient = ManagedPgClient>(
  server: string | PostgresPool,
  options?: PostgresStorageOptions,
): Promise<StorageAdapter<Client>>;
/**
 * Opens storage on a primary and its replicas. The replicas serve potentially slow reads, such as lists, searches, and exports.
 * These reads reflect everything that this storage adapter has committed for their organization. Commits from other processes can
 * become visible later, by as much as the replica's lag. A replica that fails or lags too far behind is skipped.
 * @param options options that apply to every server.
 */
export function postgresStorage<Client extends ManagedPgClient = ManagedPgClient>(
  servers: PostgresServers,
  options?: PostgresStorageOptions,
): Promise<ReplicatedStorage<Client>>;
export async function postgresStorage(
  server: string | PostgresPool | PostgresServers,
  { migrate = "auto", onMigration, ...options }: PostgresStorageOptions = {},
): Promise<StorageAdapter<ManagedPgClient>> {
  const prepareTables = async (database: PostgresDatabase) => {
    if (migrate !== "auto") return assertTables(dialect, database);
    const migration = await migrateTables(dialect, database);
    if (migration.from < migration.to) onMigration?.(migration);
  };
  await loadDriver();
  if (typeof server === "object" && "primary" in server)
    return createReplicatedStorage(server, validateOptions(options), prepareTables);
  const database = openConnection(server, validateOptions(options));
  await closeOnFailure(database, prepareTables(database));
  return sqlStorage(dialect, addFence(database));
}

/**
 * Migrates a database's tables to this release's schema without opening storage.
 * @returns the schema versions before and after the migration. Version 0 means that the database had no tables.
 * @throws the same errors as {@link postgresStorage}.
 * @example
 * import { migratePostgres } from "loyalty-kit/postgres";
 *
 * const { from, to } = await migratePostgres("postgres://localhost/cafe");
 * console.log(`The tables went from version ${from} to version ${to}.`);
 */
export async function migratePostgres(
  server: string | PostgresPool,
  options?: PostgresOptions,
): Promise<Migration> {
  await loadDriver();
  const database = openConnection(server, validateOptions(options));
  return withPlainErrors(migrateTables(dialect, database)).finally(() => database.close());
}

/**
 * Returns the SQL that {@link migratePostgres} would run, so that you can run it by hand. Doesn't change the database.
 * @throws the same errors as {@link postgresStorage}.
 * @example
 * import { writeFile } from "node:fs/promises";
 * import { postgresMigrationScript } from "loyalty-kit/postgres";
 *
 * await writeFile("migration.sql", await postgresMigrationScript("postgres://localhost/cafe"));
 */
export async function postgresMigrationScript(
  server: string | PostgresPool,
  options?: PostgresOptions,
): Promise<string> {
  await loadDriver();
  const database = openConnection(server, validateOptions(options));
  return withPlainErrors(buildMigrationScript(dialect, database)).finally(() => database.close());
}

async function createReplicatedStorage(
  { primary, replicas }: PostgresServers,
  settings: PostgresSettings,
  prepareTables: (database: PostgresDatabase) => Promise<void>,
): Promise<ReplicatedStorage> {
  const positions = new CommitPositions();
  const primaryDatabase = openConnection(primary, settings, (...commit) => positions.record(...commit));
  // If a replica doesn't have the tables yet, or still has the tables from an earlier release, it isn't used.
  const openedReplicas = replicas.map((server) => new Replica(addFence(openConnection(server, settings))));
  const database = new ReplicatedDatabase(primaryDatabase, openedReplicas, positions);
  const initialPosition = prepareTables(primaryDatabase).then(async () =>
    positions.record(undefined, await database.position()),
  );
  await closeOnFailure(database, initialPosition);
  addFence(primaryDatabase);
  return Object.assign(sqlStorage(dialect, database), {
    position: () => database.position(),
    advanceTo(position: string) {
      parsePosition(position);
      positions.record(undefined, position);
    },
  });
}

function openConnection(
  server: string | PostgresPool,
  settings: PostgresSettings,
  onCommit: CommitListener | null = null,
): PostgresDatabase {
  if (typeof server === "string") {
    const pool = openPool(server, settings);
    const { poolSize } = settings;
    const queues = {
      changes: ConnectionQueue.createForChanges(poolSize),
      reads: ConnectionQueue.createForReads(poolSize),
    };
    const unregister = gauges.pools.register(() => readPoolStats(pool, queues.reads));
    const release = () => {
      unregister();
      return pool.end();
    };
    return new PostgresDatabase(new Connections(pool, settings), queues, release, onCommit);
  }
  const removeErrorHandlers = handlePoolErrors(server);
  const { max = DEFAULT_POOL_SIZE, connectionTimeoutMillis } = server.options ?? {};
  const changes = ConnectionQueue.createForChanges(max, connectionTimeoutMillis || undefined);
  const queues = { changes, reads: ConnectionQueue.createForReads(max) };
  const unregister = gauges.pools.register(() => readPoolStats(server, queues.reads));
  const release = async () => {
    unregister();
    removeErrorHandlers();
  };
  return new PostgresDatabase(new Connections(server, settings), queues, release, onCommit);
}

function readPoolStats(
  { totalCount = 0, idleCount = 0, waitingCount = 0 }: PostgresPool,
  reads: ConnectionQueue,
): PoolStats {
  return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount + reads.waiting };
}

/** Sets a separate fence for each database, because a replica's tables may lag behind. */
function addFence(database: PostgresDatabase): PostgresDatabase {
  database.setFence(new Fence(getSchemaVersion(dialect)));
  return database;
}

async function closeOnFailure(
  database: { close(): Promise<void> },
  opening: Promise<unknown>,
): Promise<void> {
  try {
    await withPlainErrors(opening);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Waits for a database to open.
 * @throws the server's own error instead of `storage_unavailable` if the server rejected the login or doesn't have the database,
 *   because the caller can fix that.
 */
async function withPlainErrors<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw isLoyaltyError(error, "storage_unavailable") && isLoginRefused(error.cause) ? error.cause : error;
  }
}

/**
 * A primary database, with replicas for reads that can return slightly stale data. A read uses a replica only if the replica has
 * caught up with this process's commits for the organization.
 */
class ReplicatedDatabase implements SharedDatabase<ManagedPgClient> {
  readonly sync = null;
  readonly session: ReadSession;
  #lastIndex = 0;

  constructor(
    private readonly primary: PostgresDatabase,
    private readonly replicas: readonly Replica[],
    private readonly positions: CommitPositions,
  ) {
    this.session = primary.session;
  }

  getSession(organizationId: string | undefined): ReadSession {
    return this.primary.getSession(organizationId);
  }

  async snapshot<T>(work: (session: ReadSession) => Step<T>, options: SqlSnapshotOptions = {}): Promise<T> {
    const { mayLag = false, organizationId = "", signal } = options;
    const replica = mayLag ? this.#pickNext() : undefined;
    if (replica === undefined) return this.primary.snapshot(work, options);
    try {
      const isRecent = await replica.waitForPosition(this.positions.get(organizationId));
      signal?.throwIfAborted();
      if (isRecent) return await replica.snapshot(work, options);
    } catch (error) {
      // A replica also aborts reads of rows that the primary has since vacuumed.
      if (!isLoyaltyError(error, "storage_unavailable")) throw error;
      replica.markDown();
    }
    return this.primary.snapshot(work, options);
  }

  transaction<T>(work: (session: Session) => Step<T>, options?: SqlTransactionOptions): Promise<T> {
    return this.primary.transaction(work, options);
  }

  committedState(): null {
    return null;
  }

  purge(): Promise<void> {
    return this.primary.purge();
  }

  joining(host: OpenTransaction): SqlDatabase {
    return this.primary.joining(host);
  }

  async runManaged<T>(
    work: (tx: ManagedTransaction<ManagedPgClient>) => Promise<T>,
    timeoutMs: number,
  ): Promise<T> {
    const result = await this.primary.runManaged(work, timeoutMs);
    this.positions.record(undefined, await this.position());
    return result;
  }

  /** Returns the primary's current log position, as an LSN. */
  async position(): Promise<string> {
    const [row] = await runStep(this.primary.session.all(positionQuery));
    return row?.position ?? "0/0";
  }

  async close(): Promise<void> {
    await Promise.all(
      [this.primary, ...this.replicas.map(({ database }) => database)].map((each) => each.close()),
    );
  }

  /** Returns the next replica in rotation, skipping replicas that are down. */
  #pickNext(): Replica | undefined {
    for (let tries = 0; tries < this.replicas.length; tries += 1) {
      this.#lastIndex = (this.#lastIndex + 1) % this.replicas.length;
      const replica = this.replicas[this.#lastIndex];
      if (replica?.isUp) return replica;
    }
    return undefined;
  }
}

/** A read replica of the primary server, and whether it is currently usable. */
class Replica {
  /** The newest log position that the replica is known to have reached. */
  #position = 0n;
  #downUntil = Number.NEGATIVE_INFINITY;

  constructor(readonly database: PostgresDatabase) {}

  /** Whether the replica can be used. `false` for five seconds after {@link markDown}. */
  get isUp(): boolean {
    return performance.now() >= this.#downUntil;
  }

  /** Marks the replica as unusable for five seconds. Call this after a failure. */
  markDown(): void {
    this.#downUntil = performance.now() + DOWN_DURATION_MS;
  }

  /**
   * Waits up to 100 ms for the replica to reach a position.
   * @returns whether the replica has reached the position.
   * @throws any query error, or `storage_unavailable` if the replica doesn't respond.
   */
  async waitForPosition(position: bigint): Promise<boolean> {
    if (this.#position >= position) return true;
    const timeoutController = new AbortController();
    const timeout = sleep(RESPONSE_TIMEOUT_MS, null, timeoutController);
    const request = this.#waitForPosition(position);
    // The promise that loses the race may still reject.
    timeout.catch(() => undefined);
    request.catch(() => undefined);
    const hasReached = await Promise.race([request, timeout]).finally(() => timeoutController.abort());
    if (hasReached === null) throw unavailable("unreachable");
    return hasReached;
  }

  async #waitForPosition(position: bigint): Promise<boolean> {
    const end = performance.now() + REPLICA_TIMEOUT_MS;
    while (this.#position < position) {
      const [row] = await runStep(this.database.session.all(positionQuery));
      // The position is null until the replica has replayed its first record.
      if (row?.position) this.#position = parsePosition(row.position);
      if (this.#position >= position) break;
      if (performance.now() > end) return false;
      await sleep(POLL_INTERVAL_MS);
    }
    return true;
  }

  snapshot<T>(work: (session: ReadSession) => Step<T>, options: SqlSnapshotOptions): Promise<T> {
    return this.database.snapshot(work, options);
  }
}
