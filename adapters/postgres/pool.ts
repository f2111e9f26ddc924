import pg from "pg";

const settings: pg.PoolConfig = {
  // How long a caller waits at most for a connection, in milliseconds.
  connectionTimeoutMillis: 10_000,
  // Statements of one kind that don't need each other's answers are sent without waiting for those.
  pipeline: true,
  // A server that has gone without a word is noticed.
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};

/** A pool of ours, which is to be ended. @param max how many connections it has at most. */
export function openPool(url: string, max = 10): pg.Pool {
  return withoutErrorEvents(new pg.Pool({ ...settings, connectionString: url, max }));
}

/** Unheard, the error of an idle connection would end the process. A connection may fail even while a pool closes it. */
export function withoutErrorEvents(pool: pg.Pool): pg.Pool {
  return pool.on("error", ignore);
}

/** Undoes {@link withoutErrorEvents}. */
export function withErrorEvents(pool: pg.Pool): void {
  pool.off("error", ignore);
}

function ignore(): void {}
