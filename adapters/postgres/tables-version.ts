import type { Purpose } from "./timeouts.js";

/** A query that reads the newest schema version without taking a lock that a migration would have to wait for. */
export const TABLES_VERSION = "select max(version)::integer as version from loyalty_migrations";

/**
 * Returns the last statement in the message that begins a transaction. The statement reads the schema version and the ID of the
 * server process.
 */
export function beginStatement(purpose: Purpose): string {
  // A long read must not delay a migration, because all writes would then wait for the migration.
  if (purpose === "snapshot")
    return "select max(version)::integer as version, pg_backend_pid() as backend from loyalty_migrations";
  // The lock on the view lasts until the transaction ends.
  return "select version, pg_backend_pid() as backend from loyalty_version";
}
