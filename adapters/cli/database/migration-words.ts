import { NotMigratedError } from "../../kysely/migrations/not-migrated.js";
import { CommandError, FAILED } from "../terminal/command-error.js";
import { shellWord } from "../terminal/shell-word.js";

/** The versions of the tables before and after. */
export interface Versions {
  readonly from: number;
  readonly to: number;
}

/** Refuses a file that is not there: what only works on a database makes none. */
export function noDatabase(database: string): CommandError {
  return new CommandError(`there is no database ${database}: ${migrate("make it", database)}`);
}

/** @throws {CommandError} that names the command to run, when that is why a database can't be opened. */
export function assertMigrated(database: string, error: unknown): void {
  if (!(error instanceof NotMigratedError)) return;
  const { version, needed } = error;
  const what =
    version === 0
      ? `${database} has no tables of loyalty-kit yet: ${migrate("make them", database)}`
      : `${database} has version ${version} of the tables, and this release needs version ${needed}: ${migrate("migrate it", database)}`;
  throw new CommandError(what, FAILED, { cause: error });
}

/** What was done to the tables of a database. */
export function migrated(database: string, { from, to }: Versions): string {
  return `${database} migrated from version ${from} to version ${to}`;
}

function migrate(what: string, database: string): string {
  return `${what} with "loyalty-kit migrate --database ${shellWord(database)}"`;
}
