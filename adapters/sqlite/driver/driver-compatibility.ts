import { readFileSync } from "node:fs";
import { findInstalledFile } from "../../setup/installed-file.js";
import { installCommand } from "../../setup/package-manager.js";

/** The part of a driver's package.json that says which Node.js versions it supports. */
export interface DriverPackage {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

/** Explains why a driver wouldn't run on a Node.js version and what to do about it; `null` if it may run. */
export function findDriverProblem({ version, engines }: DriverPackage, node: string): string | null {
  const [, oldest] = /^>=\s*(\d+)/.exec(engines?.node ?? "") ?? [];
  const [major = ""] = node.split(".");
  if (oldest === undefined || Number(major) >= Number(oldest)) return null;
  return (
    `better-sqlite3 ${version} needs Node.js ${oldest} or later, and would crash this Node.js ${node}: ` +
    `start Node.js ${oldest}, or ${installCommand()} better-sqlite3@12`
  );
}

/** Returns the driver's package, or `null` if it can't be found, for example in a bundle. */
export function findInstalledDriver(): DriverPackage | null {
  try {
    const path = findInstalledFile("better-sqlite3/package.json");
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}

let hasAsked = false;

/**
 * Checks, once per process, that the driver's native module fits this version of Node.js, because loading a mismatched one would
 * crash the process without a message.
 * @throws {Error} with instructions for fixing the mismatch.
 */
export function assertDriverCompatible(): void {
  if (hasAsked) return;
  const driver = findInstalledDriver();
  const refusal = driver === null ? null : findDriverProblem(driver, process.versions.node);
  if (refusal !== null) throw new Error(refusal);
  hasAsked = true;
}
