import { afterRunning } from "../../src/concurrency/after-running.js";
import { isConnectTimeout } from "./errors.js";
import type { PostgresPool, PostgresPoolClient } from "./host-pool.js";
import type { PostgresSettings } from "./options.js";
import { runQuery } from "./query.js";
import { selectTimeouts, Timeouts } from "./timeouts.js";

/** A connection that a pool lent. */
class BorrowedConnection {
  /** The error by which it was lost while no query ran. The queries after it say only that it is lost. */
  loss: Error | null = null;

  constructor(readonly client: PostgresPoolClient) {
    client.on("error", this.#lose);
  }

  /** Gives it back. @param isUsable whether others can use it; else it is closed. */
  release(isUsable: boolean): void {
    this.client.off("error", this.#lose);
    this.client.release(!isUsable);
  }

  readonly #lose = (error: Error): void => {
    this.loss ??= error;
  };
}

/** A connection that a pool lent, and how long what runs on it may take. */
export interface PooledConnection {
  readonly connection: BorrowedConnection;
  readonly timeouts: Timeouts;
}

interface Known {
  readonly timeouts: Timeouts;
  /** Counts how often all connections had been given up when it was made. */
  readonly generation: number;
}

/** The connections of a pool. */
export class Connections {
  readonly #known = new WeakMap<PostgresPoolClient, Known>();
  #generation = 0;

  constructor(
    private readonly pool: PostgresPool,
    private readonly settings: PostgresSettings,
  ) {}

  /** Waits for a connection. @throws what the driver throws. */
  async acquire(): Promise<PooledConnection> {
    for (;;) {
      const connection = await this.#borrowInTime();
      try {
        const { timeouts, generation } = await this.#getKnown(connection.client);
        if (generation === this.#generation) return { connection, timeouts };
        connection.release(false);
      } catch (error) {
        connection.release(false);
        throw connection.loss ?? error;
      }
    }
  }

  /** Lets no connection that there is now be used again: the server behind them has become another. */
  discardAll(): void {
    this.#generation += 1;
  }

  /** Asks once more where the driver gave up because the process stood still for most of the time. */
  async #borrowInTime(): Promise<BorrowedConnection> {
    const timeoutMs = this.pool.options?.connectionTimeoutMillis ?? this.settings.connectTimeoutMs;
    let hasStoodStill = true;
    const cancel = afterRunning(timeoutMs / 2, () => {
      hasStoodStill = false;
    });
    try {
      return await this.#borrow();
    } catch (error) {
      if (!hasStoodStill || !isConnectTimeout(error)) throw error;
      return await this.#borrow();
    } finally {
      cancel();
    }
  }

  #borrow(): Promise<BorrowedConnection> {
    return new Promise((resolve, reject) => {
      // A promise would let errors in before a listener is attached: one packet can bring the end of the previous query and of the
      // connection.
      this.pool.connect((error, client) => {
        if (client === undefined) reject(error);
        else resolve(new BorrowedConnection(client));
      });
    });
  }

  async #getKnown(client: PostgresPoolClient): Promise<Known> {
    const before = this.#known.get(client);
    if (before !== undefined) return before;
    const generation = this.#generation;
    const question = { sql: selectTimeouts, parameters: [] };
    const { rows } = await runQuery<Record<string, number>>(client, question, this.settings.connectTimeoutMs);
    const {
      statement_timeout: statement = 0,
      lock_timeout: lock = 0,
      idle_in_transaction_session_timeout: idle = 0,
    } = rows[0] ?? {};
    const hasOwnSilence = Number(client.connectionParameters?.query_timeout ?? 0) > 0;
    const own = { statement, lock, idle, hasOwnSilence };
    const known = { timeouts: new Timeouts(this.settings, own), generation };
    this.#known.set(client, known);
    return known;
  }
}
