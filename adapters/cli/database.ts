import { existsSync } from "node:fs";
import { Option } from "commander";
import { LoyaltyService, type Organization } from "../../src/loyalty-service.js";
import type { StorageAdapter } from "../../src/storage.js";
import { CommandError, FAILED, inOptions, WRONG_USAGE } from "./command-error.js";

/** `--database`, the path of an SQLite file. */
export function databaseOption(): Option {
  return new Option("--database <file>", "the SQLite file (required)")
    .env("LOYALTY_DATABASE")
    .argParser(parseDatabase)
    .makeOptionMandatory();
}

/**
 * Opens a database, a missing one as a new one, and brings it to the version of this release.
 * @throws {CommandError} saying why that can't be.
 */
export async function openDatabase(file: string): Promise<StorageAdapter> {
  const { sqliteStorage } = await sqlite();
  return sqliteStorage(file).catch((error: unknown) => cantOpen(file, error));
}

/**
 * Brings a database, also a missing one, to the version of this release.
 * @returns the versions before and after.
 * @throws {CommandError} saying why that can't be.
 */
export async function migrateDatabase(file: string): Promise<{ readonly from: number; readonly to: number }> {
  const { migrateSqlite } = await sqlite();
  return migrateSqlite(file).catch((error: unknown) => cantOpen(file, error));
}

/**
 * Works on one organization of a database, and closes the database.
 * @throws {CommandError} when the database can't be opened, or the library refuses what is asked of it.
 */
export async function inOrganization<T>(
  { database, organization, mayBeNew = false }: Place,
  work: (organization: Organization) => Promise<T>,
): Promise<T> {
  if (!mayBeNew && !existsSync(database)) throw new CommandError(`there is no database ${database}`);
  const loyalty = new LoyaltyService({ storage: await openDatabase(database) });
  try {
    return await work(loyalty.organization(organization));
  } catch (error) {
    throw inOptions(error);
  } finally {
    await loyalty.close();
  }
}

interface Place {
  readonly database: string;
  readonly organization: string;
  /** Whether a missing database is created. */
  readonly mayBeNew?: boolean;
}

function parseDatabase(text: string): string {
  // A URL may hold a password, so the message does not repeat it, as that of an InvalidArgumentError would.
  if (/^postgres(ql)?:/i.test(text)) {
    throw new CommandError("--database can't be Postgres yet: give the path of an SQLite file", WRONG_USAGE);
  }
  // One letter before the colon is a drive of Windows.
  if (["", ":memory:"].includes(text.trim()) || /^[a-z][a-z0-9+.-]+:/i.test(text)) {
    throw new CommandError("--database must be the path of an SQLite file", WRONG_USAGE);
  }
  return text;
}

/** The SQLite adapter, loaded late because its driver is the host's to install. */
async function sqlite() {
  try {
    return await import("../sqlite/index.js");
  } catch (error) {
    if (!isMissingDriver(error)) throw error;
    throw new CommandError("the SQLite driver is missing, install it: npm install better-sqlite3", FAILED, {
      cause: error,
    });
  }
}

function isMissingDriver(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes("'better-sqlite3'");
}

function cantOpen(file: string, error: unknown): never {
  throw new CommandError(`can't open the database ${file}: ${reason(error)}`, FAILED, { cause: error });
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What better-sqlite3 tells when its compiled part is missing or made for another Node.js fills a screen.
  if (/bindings file|NODE_MODULE_VERSION/.test(error.message)) {
    return "the SQLite driver does not fit this Node.js, make it anew: npm rebuild better-sqlite3";
  }
  return error.message;
}
