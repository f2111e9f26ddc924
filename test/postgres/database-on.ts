import { ConnectionQueue } from "../../adapters/storage/postgres/connection-queue.js";
import { Connections } from "../../adapters/storage/postgres/connections.js";
import { PostgresDatabase } from "../../adapters/storage/postgres/database.js";
import { loadDriver } from "../../adapters/storage/postgres/driver.js";
import type { PostgresPool } from "../../adapters/storage/postgres/host-pool.js";
import { validateOptions } from "../../adapters/storage/postgres/options.js";

await loadDriver();

/** Creates a database on a pool. @param release is called when the database is closed. */
export function createDatabase(
  pool: PostgresPool,
  release: () => Promise<void> = async () => {},
): PostgresDatabase {
  const turns = { changes: ConnectionQueue.createForChanges(10), reads: ConnectionQueue.createForReads(10) };
  return new PostgresDatabase(new Connections(pool, validateOptions()), turns, release);
}
