import { engines } from "../../../../package.json";
import { missingThreads } from "../../../../src/base/signals.js";
import type { Database } from "../database/database.js";
import type { ServerSettings } from "../server/settings.js";
import { toSingleLine } from "../terminal/output.js";
import { redactSecrets } from "../terminal/without-secrets.js";
import { clockDiagnoses, databaseDiagnoses, diskDiagnoses } from "./database.js";
import { type Diagnosis, ok, problem, runCheck, warning } from "./diagnosis.js";
import { mailDiagnoses, walletDiagnoses } from "./services.js";
import { settingsDiagnoses } from "./settings.js";

/**
 * Examines an installation without changing anything. A running server can call it too: it opens a connection of its own to the
 * database, only to read, and closes it.
 */
export async function diagnose(database: Database, settings: ServerSettings): Promise<Diagnosis[]> {
  const diagnoses = [
    ...runtimeDiagnoses(process.versions.node),
    ...(await runCheck("database", () => diagnoseDatabase(database, settings))),
    ...(await runCheck("settings", () => settingsDiagnoses(settings, process.env))),
    ...(await runCheck("wallets", () => walletDiagnoses(settings, Date.now))),
    ...(await runCheck("mail", () => mailDiagnoses(settings))),
    ...(await runCheck("disk", () => diskDiagnoses(database.file))),
    ...threadDiagnoses(),
  ];
  return diagnoses.map((each) => ({ ...each, message: toSingleLine(redactSecrets(each.message)) }));
}

async function diagnoseDatabase(database: Database, settings: ServerSettings): Promise<Diagnosis[]> {
  const inspection = await database.inspect({
    replicas: settings.replicaUrl,
    connectTimeoutMs: settings.connectTimeout,
    statementTimeoutMs: settings.statementTimeout,
  });
  return [...databaseDiagnoses(inspection, database.name), ...clockDiagnoses(inspection, Date.now())];
}

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
function threadDiagnoses(): Diagnosis[] {
  const missing = missingThreads.readAll().filter(({ work }) => work !== "pictures");
  return missing.map(({ message }) => warning("runtime", message));
}

function isBefore(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}
