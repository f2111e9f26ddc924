import pg from "pg";

/** Connections of a bench. Those of an ended pool close by and by, and are no matter when the server ends meanwhile. */
export function openPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...options, connectionString });
  pool.on("error", () => {});
  return pool;
}
