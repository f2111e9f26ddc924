import { Connections } from "../../adapters/postgres/connections.js";
import { PostgresDatabase } from "../../adapters/postgres/database.js";
import { loadDriver } from "../../adapters/postgres/driver.js";
import type { PostgresPool } from "../../adapters/postgres/host-pool.js";
import { settingsOf } from "../../adapters/postgres/options.js";
import { Turns } from "../../adapters/postgres/turns.js";

await loadDriver();

/** The database of a pool. @param release is called when it is closed. */
export function databaseOn(
  pool: PostgresPool,
  release: () => Promise<void> = async () => {},
): PostgresDatabase {
  const turns = { changes: Turns.ofChanges(10), reads: Turns.ofReads(10) };
  return new PostgresDatabase(new Connections(pool, settingsOf()), turns, release);
}
