import { readFileSync } from "node:fs";
import type Database from "better-sqlite3";
import { findInstalledFile } from "../../../setup/installed-file.js";
import { buildCommand, installCommand } from "../../../setup/package-manager.js";
import { throwMissing } from "../../../setup/peers.js";

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

/** The `package.json` fields that specify a driver's version and the Node.js versions it supports. */
interface DriverPackage {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

/**
 * Returns a message that explains why the driver can't run on the given Node.js version and how to fix the problem, or `null` if
 * there is no known problem.
 */
export function findDriverProblem({ version, engines }: DriverPackage, node: string): string | null {
  const [, oldest] = /^>=\s*(\d+)/.exec(engines?.node ?? "") ?? [];
  const [major = ""] = node.split(".");
  if (oldest === undefined || Number(major) >= Number(oldest)) return null;
  return (
    `better-sqlite3 ${version} needs Node.js ${oldest} or later and would crash Node.js ${node}; ` +
    `use Node.js ${oldest}, or run ${installCommand()} better-sqlite3@12`
  );
}

/** Returns the installed driver's package.json, or `null` if it can't be found, for example in a bundle. */
export function findInstalledDriver(): DriverPackage | null {
  try {
    const path = findInstalledFile("better-sqlite3/package.json");
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

let isCompatible = false;

/**
 * Checks that the driver's native module supports this version of Node.js, because loading an incompatible module would crash the
 * process without a message. Once a check has passed, further calls do nothing.
 * @throws {Error} with instructions for fixing the mismatch.
 */
function assertDriverCompatible(): void {
  if (isCompatible) return;
  const driver = findInstalledDriver();
  const problem = driver === null ? null : findDriverProblem(driver, process.versions.node);
  if (problem !== null) throw new Error(problem);
  isCompatible = true;
}
