import type { Purpose } from "./timeouts.js";

/** Reads the newest version of the tables, and holds no lock that a migration waits for. */
export const TABLES_VERSION = "select max(version)::integer as version from loyalty_migrations";

/** Returns the statement that ends the message of `begin`. It reads the version, and the process of the server. */
export function beginStatement(purpose: Purpose): string {
  // A read that takes long is to hold up no migration, and with it everybody's writes.
  if (purpose === "snapshot")
    return "select max(version)::integer as version, pg_backend_pid() as backend from loyalty_migrations";
  // The lock on the view lasts until the transaction ends.
  return "select version, pg_backend_pid() as backend from loyalty_version";
}
