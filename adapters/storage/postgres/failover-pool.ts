import type { PostgresPool, PostgresPoolClient, PostgresQuery } from "./host-pool.js";

/** The driver's message when all connections are in use. Switching to another server wouldn't help. */
const BUSY_MESSAGE = "timeout exceeded when trying to connect";

/** A pool that was opened by the storage adapter, which must therefore close it. */
export interface DriverPool extends PostgresPool {
  query(query: PostgresQuery): Promise<unknown>;
  end(): Promise<void>;
}

type ConnectCallback = Parameters<DriverPool["connect"]>[0];
type Listener = ((error: Error) => void) & ((client: PostgresPoolClient) => void);

/**
 * Combines several pools, one per server. It uses one server until a connection to that server can't be opened, and then switches
 * to the next.
 */
export class FailoverPool implements DriverPool {
  #currentIndex = 0;

  /** @param pools the pools, one per server, in the order in which to try them. Must not be empty. */
  constructor(private readonly pools: readonly DriverPool[]) {}

  get options() {
    return this.#current?.options ?? {};
  }

  get totalCount(): number {
    return this.#sum(({ totalCount = 0 }) => totalCount);
  }

  get idleCount(): number {
    return this.#sum(({ idleCount = 0 }) => idleCount);
  }

  get waitingCount(): number {
    return this.#sum(({ waitingCount = 0 }) => waitingCount);
  }

  connect(callback: ConnectCallback): void {
    this.#try(this.pools.length, callback);
  }

  query(query: PostgresQuery): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.connect((error, client) => {
        if (client === undefined) return reject(error);
        client
          .query(query)
          .then(resolve, reject)
          .finally(() => client.release());
      });
    });
  }

  on(event: "error" | "acquire" | "remove", listener: Listener): this {
    for (const pool of this.pools) event === "error" ? pool.on(event, listener) : pool.on(event, listener);
    return this;
  }

  off(event: "error" | "acquire" | "remove", listener: Listener): this {
    for (const pool of this.pools) event === "error" ? pool.off(event, listener) : pool.off(event, listener);
    return this;
  }

  async end(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.end()));
  }

  get #current(): DriverPool | undefined {
    return this.pools[this.#currentIndex];
  }

  #sum(getCount: (pool: DriverPool) => number): number {
    return this.pools.reduce((sum, pool) => sum + getCount(pool), 0);
  }

  /** @param remaining the number of servers still to try. */
  #try(remaining: number, callback: ConnectCallback): void {
    const pool = this.#current;
    pool?.connect((error, client, done) => {
      if (client !== undefined || error?.message === BUSY_MESSAGE) return callback(error, client, done);
      // Another call may already have switched servers.
      if (pool === this.#current) this.#currentIndex = (this.#currentIndex + 1) % this.pools.length;
      if (remaining > 1) this.#try(remaining - 1, callback);
      else callback(error, client, done);
    });
  }
}
