import { engines } from "../../../../package.json";
import { missingThreads } from "../../../../src/base/signals.js";
import { type Diagnosis, ok, problem, warning } from "./diagnosis.js";

/**
 * Reports whether this release supports a Node.js version.
 * @param version the version without a leading `v`, such as `22.3.0`.
 */
export function runtimeDiagnoses(version: string): Diagnosis[] {
  const [, oldest = ""] = /^>=([\d.]+)$/.exec(engines.node) ?? [];
  if (isBefore(version, oldest))
    return [problem("runtime", `Node.js ${version} is too old; install ${oldest} or later`)];
  return [ok("runtime", `Node.js ${version}`)];
}

/** Reports which kinds of database work run on the main thread because their worker thread couldn't be started. */
export function threadDiagnoses(): Diagnosis[] {
  const missing = missingThreads.readAll().filter(({ work }) => work !== "pictures");
  return missing.map(({ message }) => warning("runtime", message));
}

function isBefore(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}
