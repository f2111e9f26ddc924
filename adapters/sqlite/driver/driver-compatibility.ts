import { readFileSync } from "node:fs";
import { findInstalledFile } from "../../setup/installed-file.js";
import { installCommand } from "../../setup/package-manager.js";

/** The part of a driver's package that says which Node.js it is for. */
export interface DriverPackage {
  readonly version: string;
  readonly engines?: { readonly node?: string };
}

/** Says why a driver would not run on a Node.js, and what to do; `null` if it may. */
export function findDriverProblem({ version, engines }: DriverPackage, node: string): string | null {
  const [, oldest] = /^>=\s*(\d+)/.exec(engines?.node ?? "") ?? [];
  const [major = ""] = node.split(".");
  if (oldest === undefined || Number(major) >= Number(oldest)) return null;
  return (
    `better-sqlite3 ${version} needs Node.js ${oldest} or later, and would crash this Node.js ${node}: ` +
    `start Node.js ${oldest}, or ${installCommand()} better-sqlite3@12`
  );
}

/** The package of the driver; `null` if it can't be found, as in a bundle. */
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
 * Checks, once per process, that the driver's compiled part fits this version of Node.js, because loading another one would crash
 * the process without a message.
 * @throws {Error} that says what to do.
 */
export function assertDriverCompatible(): void {
  if (hasAsked) return;
  const driver = findInstalledDriver();
  const refusal = driver === null ? null : findDriverProblem(driver, process.versions.node);
  if (refusal !== null) throw new Error(refusal);
  hasAsked = true;
}
