import type Database from "better-sqlite3";
import { throwMissing } from "../../../setup/load-peer.js";
import { buildCommand } from "../../../setup/package-manager.js";
import { assertDriverCompatible } from "./driver-compatibility.js";

let loaded: typeof Database | null = null;

/**
 * Loads `better-sqlite3`. Loading waits until the first file is opened, and never happens on a Node.js version on which the package
 * would crash the process.
 * @throws {PackageMissing} if the package isn't installed. The next call tries again.
 * @throws {Error} with instructions, if the package doesn't support this version of Node.js.
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
  if (loaded === null) throw new Error("better-sqlite3 was used before it was loaded");
  try {
    return new loaded(file, options);
  } catch (error) {
    throw missingBuildError(error) ?? error;
  }
}

/**
 * If better-sqlite3 has no native module for this version of Node.js, returns a short error to throw instead of the driver's own
 * error, which lists dozens of paths. The module is missing if the package's install script was blocked or ran under another
 * version of Node.js. Returns `null` for any other error.
 */
export function missingBuildError(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  const isMissing = error.message.includes("bindings file");
  if (!isMissing && !error.message.includes("NODE_MODULE_VERSION")) return null;
  const message = `better-sqlite3 has no compiled binary for this Node.js version: ${buildCommand("better-sqlite3")}`;
  // The driver's error for a missing module would still fill the screen if it were attached as the cause.
  return isMissing ? new Error(message) : new Error(message, { cause: error });
}

/** Creates an instance of the driver's error class, or a plain error if the driver isn't loaded. */
export function createSqliteError(message: string, code: string): Error {
  return loaded === null ? new Error(message) : new loaded.SqliteError(message, code);
}

export function isSqliteError(error: unknown): boolean {
  return loaded !== null && error instanceof loaded.SqliteError;
}
