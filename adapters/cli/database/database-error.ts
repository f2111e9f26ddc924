import { NotMigratedError } from "../../kysely/migrations/not-migrated.js";
import { CommandError, FAILED } from "../terminal/command-error.js";
import { shellWord } from "../terminal/output.js";

/**
 * Loads a storage adapter, late because its driver is the host's to install.
 * @throws {CommandError} that says how to install the driver, when it is missing.
 */
export async function withDriver<Adapter>(driver: string, load: () => Promise<Adapter>): Promise<Adapter> {
  try {
    return await load();
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      "code" in error &&
      error.code === "ERR_MODULE_NOT_FOUND" &&
      error.message.includes(`'${driver}'`);
    if (!isMissing) throw error;
    throw new CommandError(`the database driver is missing, install it: npm install ${driver}`, FAILED, {
      cause: error,
    });
  }
}

/** @throws {CommandError} that tells in one line why a database can't be opened, and by which command it can. */
export function cantOpen(database: string, reason: string, cause: unknown): never {
  const message =
    cause instanceof NotMigratedError
      ? notMigrated(database, cause)
      : `can't open the database ${database}: ${reason}`;
  throw new CommandError(message, FAILED, { cause });
}

/** Refuses a file that is not there: a command that only works on a database makes none. */
export function noDatabase(database: string): CommandError {
  return new CommandError(`there is no database ${database}: ${migrate("make it", database)}`);
}

function notMigrated(database: string, { version, needed }: NotMigratedError): string {
  if (version === 0) return `${database} has no tables of loyalty-kit yet: ${migrate("make them", database)}`;
  const versions = `has version ${version} of the tables, and this release needs version ${needed}`;
  return `${database} ${versions}: ${migrate("migrate it", database)}`;
}

function migrate(what: string, database: string): string {
  return `${what} with "loyalty-kit migrate --database ${shellWord(database)}"`;
}
