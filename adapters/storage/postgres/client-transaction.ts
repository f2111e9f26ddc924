import type { CompiledQuery } from "kysely";
import type { Fence } from "../kysely/session/admission.js";
import type { Executor } from "../kysely/session/session.js";
import type { Connections, PooledConnection } from "./connections.js";
import { isConnectionLost, isReadOnly, isRetryable, isSchemaMismatch, toPortError } from "./errors.js";
import { type Result, runQuery, waitForResponse } from "./query.js";
import type { Purpose } from "./timeouts.js";

/** Runs one transaction on a connection from the pool. */
export class ClientTransaction implements Executor {
  readonly isBlocking = false;
  readonly changeEach: Executor["changeEach"];
  /**
   * Whether the transaction has failed because of a conflict with another transaction. Set even if the caller's code catches the
   * error.
   */
  hasConflict = false;
  /** Whether a statement failed because the server is read-only. */
  isReadOnly = false;
  /** Whether the connection can no longer be used and must not return to the pool. */
  isBroken = false;

  /**
   * Acquires a connection for a transaction, without beginning the transaction.
   * @throws the driver's error, converted to a storage port error.
   */
  static async open(connections: Connections, purpose: Purpose): Promise<ClientTransaction> {
    let connection: PooledConnection;
    try {
      connection = await connections.acquire();
    } catch (error) {
      throw toPortError(error);
    }
    return new ClientTransaction(connection, purpose);
  }

  private constructor(
    private readonly pooled: PooledConnection,
    private readonly purpose: Purpose,
  ) {
    // A pipelining client sends the next query without waiting for the previous response.
    const isPipelining = pooled.connection.client.pipeline === true;
    this.changeEach = isPipelining ? (each) => waitForAll(each.map((one) => this.change(one))) : null;
  }

  /**
   * Begins the transaction with a single message to the server.
   * @param fence the fence that the transaction must pass, or `null` if the tables might not exist yet.
   * @returns the ID of the server process that runs the transaction, even when connected through a pooler.
   * @throws the driver's error, converted to a storage port error, or `storage_unavailable` if the fence rejects the transaction.
   */
  async begin(fence: Fence | null): Promise<number> {
    const begin = this.pooled.timeouts.buildBegin(this.purpose);
    const last = fence === null ? "select pg_backend_pid() as backend" : buildVersionQuery(this.purpose);
    try {
      const row = getLastRow<BeginResult>(await this.control(`${begin}; ${last}`));
      fence?.assertCurrent(row?.version ?? null);
      return row?.backend ?? 0;
    } catch (error) {
      if (isSchemaMismatch(error)) fence?.assertCurrent(null);
      throw error;
    }
  }

  /**
   * Checks the tables' schema version. Call this while no transaction is open.
   * @throws the driver's error, converted to a storage port error, or `storage_unavailable` if the tables have another release's
   *   schema version.
   */
  async assertTables(fence: Fence): Promise<void> {
    fence.assertCurrent(getLastRow<BeginResult>(await this.control(TABLES_VERSION_QUERY))?.version ?? null);
  }

  /**
   * Runs a statement that begins or ends the transaction, or that runs outside the transaction.
   * @throws the driver's error, converted to a storage port error.
   */
  async control(statement: string): Promise<unknown> {
    const { connection, timeouts } = this.pooled;
    try {
      return await waitForResponse(
        connection.client.query({ text: statement }),
        timeouts.getResponseTimeoutMs(this.purpose),
      );
    } catch (error) {
      throw this.toPortError(error);
    }
  }

  /**
   * Commits the transaction.
   * @returns the server's write-ahead log position just after the commit, as an LSN.
   * @throws the driver's error, converted to a storage port error.
   */
  async commitWithPosition(): Promise<string> {
    const results = await this.control("commit; select pg_current_wal_insert_lsn()::text as position");
    return getLastRow<{ position: string }>(results)?.position ?? "";
  }

  async all<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    return (await this.#runQuery(query)).rows;
  }

  async change(statement: CompiledQuery<unknown>): Promise<number> {
    return (await this.#runQuery(statement)).rowCount ?? 0;
  }

  toPortError(error: unknown): unknown {
    this.hasConflict ||= isRetryable(error);
    this.isReadOnly ||= isReadOnly(error);
    this.isBroken ||= isConnectionLost(error);
    return toPortError(this.pooled.connection.loss ?? error);
  }

  /** Returns the connection to the pool, or closes it if it is no longer usable. */
  release(isUsable: boolean): void {
    this.pooled.connection.release(isUsable && !this.isBroken);
  }

  #runQuery<Row>(query: CompiledQuery<Row>): Promise<Result<Row>> {
    return runQuery(
      this.pooled.connection.client,
      query,
      this.pooled.timeouts.getResponseTimeoutMs(this.purpose),
    );
  }
}

interface BeginResult {
  readonly version?: number | null;
  readonly backend: number;
}

/** Returns the first row from the last result, given the results of one or more statements. */
function getLastRow<Row>(results: unknown): Row | undefined {
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  const { rows = [] } = (last ?? {}) as { readonly rows?: readonly Row[] };
  return rows[0];
}

/**
 * Waits until all promises have settled.
 * @throws the first rejection, in the order of the promises.
 */
async function waitForAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** A query that reads the newest schema version without taking a lock that a migration would have to wait for. */
const TABLES_VERSION_QUERY = "select max(version)::integer as version from loyalty_migrations";

/**
 * Returns the last statement in the message that begins a transaction. The statement reads the schema version and the ID of the
 * server process.
 */
function buildVersionQuery(purpose: Purpose): string {
  // A long read must not delay a migration, because all writes would then wait for the migration.
  if (purpose === "snapshot")
    return "select max(version)::integer as version, pg_backend_pid() as backend from loyalty_migrations";
  // The lock on the view lasts until the transaction ends.
  return "select version, pg_backend_pid() as backend from loyalty_version";
}
