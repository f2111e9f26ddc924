import type Database from "better-sqlite3";
import { throwMissing } from "../../setup/load-peer.js";
import { buildCommand } from "../../setup/package-manager.js";
import { assertDriverCompatible } from "./driver-compatibility.js";

let loaded: typeof Database | null = null;

/**
 * Loads `better-sqlite3` when the first file is opened, unless it would crash this version of Node.js.
 * @throws {PackageMissing} if it is not installed. The next call looks for it again.
 * @throws {Error} with instructions, if it doesn't support this version of Node.js.
 */
export async function loadDriver(): Promise<typeof Database> {
  assertDriverCompatible();
  loaded ??= (await import("better-sqlite3").catch(throwMissing("better-sqlite3"))).default;
  return loaded;
}

/**
 * Opens a file with the driver. Call {@link loadDriver} first.
 * @throws if the file can't be opened.
 */
export function openFile(file: string, options?: Database.Options): Database.Database {
  if (loaded === null) throw new Error("better-sqlite3 is asked for before it is loaded");
  try {
    return new loaded(file, options);
  } catch (error) {
    throw missingBuildError(error) ?? error;
  }
}

/**
 * Returns a short error if better-sqlite3 has no native module for this version of Node.js, because its install script was blocked
 * or ran under another version. The driver's own error fills the screen with paths. Returns `null` for any other error.
 */
export function missingBuildError(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  const isMissing = error.message.includes("bindings file");
  if (!isMissing && !error.message.includes("NODE_MODULE_VERSION")) return null;
  const message = `better-sqlite3 has no compiled part for this Node.js: ${buildCommand("better-sqlite3")}`;
  // The driver's error for a missing module would still fill the screen if it were attached as the cause.
  return isMissing ? new Error(message) : new Error(message, { cause: error });
}

/** Creates an error like the ones that the driver throws. */
export function createSqliteError(message: string, code: string): Error {
  return loaded === null ? new Error(message) : new loaded.SqliteError(message, code);
}

export function isSqliteError(error: unknown): boolean {
  return loaded !== null && error instanceof loaded.SqliteError;
}
