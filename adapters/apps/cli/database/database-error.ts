import { PackageMissing } from "../../../setup/peers.js";
import { NotMigratedError } from "../../../storage/kysely/migrations/migrations.js";
import { CommandError, FAILURE_CODE } from "../terminal/command-error.js";
import { quoteForShell } from "../terminal/output.js";

/**
 * Throws an error that explains in one line why a database can't be opened and which command fixes the problem.
 * @throws {CommandError} always.
 */
export function throwCannotOpen(database: string, reason: string, cause: unknown): never {
  if (cause instanceof NotMigratedError)
    throw new CommandError(formatNotMigrated(database, cause), FAILURE_CODE, { cause });
  const isInstalled = !(cause instanceof PackageMissing);
  const message = isInstalled ? `can't open the database ${database}: ${reason}` : cause.message;
  throw new CommandError(message, FAILURE_CODE, { cause });
}

/** Returns the error for a database file that doesn't exist, for use by commands that never create the file. */
export function missingDatabaseError(database: string): CommandError {
  return new CommandError(`database ${database} doesn't exist; ${formatMigrateHint("create it", database)}`);
}

function formatNotMigrated(database: string, { version, needed }: NotMigratedError): string {
  if (version === 0)
    return `${database} has no loyalty-kit tables yet; ${formatMigrateHint("create them", database)}`;
  const versions = `is at schema version ${version}, but this release needs version ${needed}`;
  return `${database} ${versions}; ${formatMigrateHint("migrate it", database)}`;
}

function formatMigrateHint(action: string, database: string): string {
  return `${action} with "loyalty-kit migrate --database ${quoteForShell(database)}"`;
}
