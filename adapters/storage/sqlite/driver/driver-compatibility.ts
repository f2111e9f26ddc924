import { readFileSync } from "node:fs";
import { findInstalledFile } from "../../../setup/installed-file.js";
import { installCommand } from "../../../setup/package-manager.js";

/** The `package.json` fields that specify a driver's version and the Node.js versions it supports. */
export interface DriverPackage {
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

let hasAsked = false;

/**
 * Checks that the driver's native module supports this version of Node.js, because loading an incompatible module would crash the
 * process without a message. Once a check has passed, further calls do nothing.
 * @throws {Error} with instructions for fixing the mismatch.
 */
export function assertDriverCompatible(): void {
  if (hasAsked) return;
  const driver = findInstalledDriver();
  const refusal = driver === null ? null : findDriverProblem(driver, process.versions.node);
  if (refusal !== null) throw new Error(refusal);
  hasAsked = true;
}
