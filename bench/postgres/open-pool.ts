import pg from "pg";

/**
 * Opens connections of a benchmark. Connections of an ended pool close later; they may fail when the server ends in the meantime.
 */
export function openPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...options, connectionString });
  pool.on("error", () => {});
  return pool;
}
