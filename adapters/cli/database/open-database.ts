import { Option } from "commander";
import type { Organization } from "../../../src/organization.js";
import { CommandError, inOptions, WRONG_USAGE } from "../terminal/command-error.js";
import type { Database } from "./database.js";
import { PostgresByUrl } from "./postgres-by-url.js";
import { SqliteFile } from "./sqlite-file.js";

/** `--database`, the path of an SQLite file or the URL of a Postgres database. */
export function databaseOption(): Option {
  return new Option("--database <file-or-url>", "an SQLite file, or postgres://… (required)")
    .env("LOYALTY_DATABASE")
    .argParser((text) => databaseOf(text, "--database"))
    .makeOptionMandatory();
}

/**
 * Works on one organization of a database, and closes the database.
 * @throws {CommandError} when the database can't be opened, or the library refuses what is asked of it.
 */
export async function inOrganization<T>(
  { database, organization }: Place,
  work: (organization: Organization) => Promise<T>,
): Promise<T> {
  const { LoyaltyService } = await import("../../../src/loyalty-service.js");
  const loyalty = new LoyaltyService({ storage: await database.open() });
  try {
    return await work(loyalty.organization(organization, { actor: { id: "command line" } }));
  } catch (error) {
    throw inOptions(error);
  } finally {
    await loyalty.close();
  }
}

/** Which organization is worked on. */
export interface Place {
  readonly database: Database;
  readonly organization: string;
}

/** @throws {CommandError} when it is none; it names the option. */
export function databaseOf(text: string, option: string): Database {
  if (/^postgres(ql)?:/i.test(text)) return new PostgresByUrl(text, option);
  // One letter before the colon is a drive of Windows. A URL may hold a password, so the message does not repeat it, as
  // that of an InvalidArgumentError would.
  if (["", ":memory:"].includes(text.trim()) || /^[a-z][a-z0-9+.-]+:/i.test(text)) {
    throw new CommandError(`${option} must be the path of an SQLite file or a postgres:// URL`, WRONG_USAGE);
  }
  return new SqliteFile(text);
}
