import { setActiveTimeout } from "../../../src/base/concurrency/timeout.js";
import { isConnectTimeout } from "./errors.js";
import type { PostgresPool, PostgresPoolClient } from "./host-pool.js";
import type { PostgresSettings } from "./options.js";
import { runQuery } from "./query.js";
import { Timeouts, timeoutsQuery } from "./timeouts.js";

/** A connection borrowed from a pool. */
class BorrowedConnection {
  /** The error that ended the connection while no query was running. Later queries only report that the connection is lost. */
  loss: Error | null = null;

  constructor(readonly client: PostgresPoolClient) {
    client.on("error", this.#discard);
  }

  /**
   * Returns the connection to the pool.
   * @param isUsable whether the connection can be used again. If not, it is closed.
   */
  release(isUsable: boolean): void {
    this.client.off("error", this.#discard);
    this.client.release(!isUsable);
  }

  readonly #discard = (error: Error): void => {
    this.loss ??= error;
  };
}

/** A connection acquired from a pool, with its time limits. */
export interface PooledConnection {
  readonly connection: BorrowedConnection;
  readonly timeouts: Timeouts;
}

interface ConnectionState {
  readonly timeouts: Timeouts;
  /** Number of times that all connections had been discarded when this one was first used. */
  readonly generation: number;
}

/** Acquires connections from a pool and caches each connection's time limits. */
export class Connections {
  readonly #states = new WeakMap<PostgresPoolClient, ConnectionState>();
  #generation = 0;

  constructor(
    private readonly pool: PostgresPool,
    private readonly settings: PostgresSettings,
  ) {}

  /**
   * Acquires a connection, waiting until one is available.
   * @throws the driver's error.
   */
  async acquire(): Promise<PooledConnection> {
    for (;;) {
      const connection = await this.#borrowWithRetry();
      try {
        const { timeouts, generation } = await this.#getState(connection.client);
        if (generation === this.#generation) return { connection, timeouts };
        connection.release(false);
      } catch (error) {
        connection.release(false);
        throw connection.loss ?? error;
      }
    }
  }

  /** Prevents existing connections from being reused. Call this when the server behind the connections has changed. */
  discardAll(): void {
    this.#generation += 1;
  }

  /** Borrows a connection. Retries once if the driver timed out and the process was suspended for most of the wait. */
  async #borrowWithRetry(): Promise<BorrowedConnection> {
    const timeoutMs = this.pool.options?.connectionTimeoutMillis ?? this.settings.connectTimeoutMs;
    let wasSuspended = true;
    const cancel = setActiveTimeout(timeoutMs / 2, () => {
      wasSuspended = false;
    });
    try {
      return await this.#borrow();
    } catch (error) {
      if (!wasSuspended || !isConnectTimeout(error)) throw error;
      return await this.#borrow();
    } finally {
      cancel();
    }
  }

  #borrow(): Promise<BorrowedConnection> {
    return new Promise((resolve, reject) => {
      // The callback attaches the error listener synchronously. With a promise, an error could arrive first, because a single
      // packet can end both the previous query and the connection.
      this.pool.connect((error, client) => {
        if (client === undefined) reject(error);
        else resolve(new BorrowedConnection(client));
      });
    });
  }

  async #getState(client: PostgresPoolClient): Promise<ConnectionState> {
    const previous = this.#states.get(client);
    if (previous !== undefined) return previous;
    const generation = this.#generation;
    const query = { sql: timeoutsQuery, parameters: [] };
    const { rows } = await runQuery<Record<string, number>>(client, query, this.settings.connectTimeoutMs);
    const {
      statement_timeout: statement = 0,
      lock_timeout: lock = 0,
      idle_in_transaction_session_timeout: idle = 0,
    } = rows[0] ?? {};
    const hasResponseTimeout = Number(client.connectionParameters?.query_timeout ?? 0) > 0;
    const configured = { statement, lock, idle, hasResponseTimeout };
    const state = { timeouts: new Timeouts(this.settings, configured), generation };
    this.#states.set(client, state);
    return state;
  }
}
