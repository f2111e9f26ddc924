import type Database from "better-sqlite3";
import { throwMissing } from "../../setup/load-peer.js";
import { buildCommand } from "../../setup/package-manager.js";
import { assertDriverCompatible } from "./driver-compatibility.js";

let loaded: typeof Database | null = null;

/**
 * Loads `better-sqlite3` with the first file, unless it would crash this Node.js.
 * @throws {PackageMissing} if it is not installed; then it is looked for again.
 * @throws {Error} that says what to do when it is not made for this Node.js.
 */
export async function loadDriver(): Promise<typeof Database> {
  assertDriverCompatible();
  loaded ??= (await import("better-sqlite3").catch(throwMissing("better-sqlite3"))).default;
  return loaded;
}

/** Opens a file with the driver, once {@link loadDriver} has loaded it. @throws if the file can't be opened. */
export function openFile(file: string, options?: Database.Options): Database.Database {
  if (loaded === null) throw new Error("better-sqlite3 is asked for before it is loaded");
  try {
    return new loaded(file, options);
  } catch (error) {
    throw missingBuildError(error) ?? error;
  }
}

/**
 * The error where better-sqlite3 has no compiled part for this Node.js: the install script was held back, or ran under
 * another version. Its own error fills a screen with paths. `null` for any other error.
 */
export function missingBuildError(error: unknown): Error | null {
  if (!(error instanceof Error)) return null;
  const isMissing = error.message.includes("bindings file");
  if (!isMissing && !error.message.includes("NODE_MODULE_VERSION")) return null;
  const message = `better-sqlite3 has no compiled part for this Node.js: ${buildCommand("better-sqlite3")}`;
  // A missing one's own error would still fill the screen as the cause.
  return isMissing ? new Error(message) : new Error(message, { cause: error });
}

/** An error as the driver throws it. */
export function createSqliteError(message: string, code: string): Error {
  return loaded === null ? new Error(message) : new loaded.SqliteError(message, code);
}

export function isSqliteError(error: unknown): boolean {
  return loaded !== null && error instanceof loaded.SqliteError;
}
