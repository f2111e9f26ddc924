import type { CompiledQuery } from "kysely";
import type { Fence } from "../kysely/session/admission.js";
import type { Executor } from "../kysely/session/session.js";
import type { Connections, PooledConnection } from "./connections.js";
import { isConnectionLost, isReadOnly, isRetryable, isSchemaMismatch, toPortError } from "./errors.js";
import { type Result, runQuery, waitForAnswer } from "./query.js";
import { beginStatement, TABLES_VERSION } from "./tables-version.js";
import type { Purpose } from "./timeouts.js";

/** One transaction on a connection of a pool. */
export class ClientTransaction implements Executor {
  readonly isBlocking = false;
  readonly changeEach: Executor["changeEach"];
  /** True when the transaction is lost because of others, whatever its work made of that. */
  hasLostRace = false;
  /** True if the server is read-only. */
  isReadOnly = false;
  /** True when nothing more can be asked on the connection, so that it can't be given back. */
  isSpent = false;

  /**
   * Waits for a connection.
   * @throws what callers of the port get for it.
   */
  static async open(connections: Connections, purpose: Purpose): Promise<ClientTransaction> {
    let lent: PooledConnection;
    try {
      lent = await connections.acquire();
    } catch (error) {
      throw toPortError(error);
    }
    return new ClientTransaction(lent, purpose);
  }

  private constructor(
    private readonly lent: PooledConnection,
    private readonly purpose: Purpose,
  ) {
    // A pipelining client sends the next query before the previous response.
    const isPipelining = lent.connection.client.pipeline === true;
    this.changeEach = isPipelining ? (each) => waitForAll(each.map((one) => this.change(one))) : null;
  }

  /**
   * Begins the transaction, in one message.
   * @param fence has to let it in; `null` while the tables may still be missing.
   * @returns the process of the server that the transaction runs in, as it is behind a pooler too.
   * @throws what callers of the port get for it; `storage_unavailable` if it is not let in.
   */
  async begin(fence: Fence | null): Promise<number> {
    const begin = this.lent.timeouts.begin(this.purpose);
    const last = fence === null ? "select pg_backend_pid() as backend" : beginStatement(this.purpose);
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
   * Checks the version of the tables while no transaction is open.
   * @throws what callers of the port get for it; `storage_unavailable` if it belongs to another release.
   */
  async assertTables(fence: Fence): Promise<void> {
    fence.assertCurrent(getLastRow<BeginResult>(await this.control(TABLES_VERSION))?.version ?? null);
  }

  /** Runs what begins or ends the transaction. @throws what callers of the port get for it. */
  async control(statement: string): Promise<unknown> {
    const { connection, timeouts } = this.lent;
    try {
      return await waitForAnswer(
        connection.client.query({ text: statement }),
        timeouts.silence(this.purpose),
      );
    } catch (error) {
      throw this.toPortError(error);
    }
  }

  /** Commits. @returns the position of the server's log then. @throws what callers of the port get for it. */
  async commitWithPosition(): Promise<string> {
    const results = await this.control("commit; select pg_current_wal_insert_lsn()::text as position");
    return getLastRow<{ position: string }>(results)?.position ?? "";
  }

  async all<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    return (await this.#ask(query)).rows;
  }

  async change(statement: CompiledQuery<unknown>): Promise<number> {
    return (await this.#ask(statement)).rowCount ?? 0;
  }

  toPortError(error: unknown): unknown {
    this.hasLostRace ||= isRetryable(error);
    this.isReadOnly ||= isReadOnly(error);
    this.isSpent ||= isConnectionLost(error);
    return toPortError(this.lent.connection.loss ?? error);
  }

  /** Gives the connection back. It is closed if others can't use it. */
  release(isUsable: boolean): void {
    this.lent.connection.release(isUsable && !this.isSpent);
  }

  #ask<Row>(query: CompiledQuery<Row>): Promise<Result<Row>> {
    return runQuery(this.lent.connection.client, query, this.lent.timeouts.silence(this.purpose));
  }
}

interface BeginResult {
  readonly version?: number | null;
  readonly backend: number;
}

/** Returns the row of the last of several statements, or of the only one. */
function getLastRow<Row>(results: unknown): Row | undefined {
  const last: unknown = Array.isArray(results) ? results.at(-1) : results;
  const { rows = [] } = (last ?? {}) as { readonly rows?: readonly Row[] };
  return rows[0];
}

/** @throws the first error in their order, when all have ended. */
async function waitForAll<T>(promises: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
