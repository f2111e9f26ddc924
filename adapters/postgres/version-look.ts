import type { Purpose } from "./patience.js";

/** Tells the newest version of the tables, and holds nothing for it that a migration waits for. */
export const LOOK = "select max(version)::integer as version from loyalty_migrations";

/** Ends the message that begins a transaction. It tells the version, and in which process of the server that runs. */
export function lookOf(purpose: Purpose): string {
  // A read that takes long is to hold up no migration, and with it everybody's writes.
  if (purpose === "snapshot")
    return "select max(version)::integer as version, pg_backend_pid() as backend from loyalty_migrations";
  // The lock on the view lasts until the transaction ends.
  return "select version, pg_backend_pid() as backend from loyalty_version";
}
