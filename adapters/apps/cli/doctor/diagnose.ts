import { engines } from "../../../../package.json";
import { missingThreads } from "../../../../src/base/signals.js";
import type { Database } from "../database/database.js";
import type { ServerSettings } from "../server/settings.js";
import { toSingleLine } from "../terminal/output.js";
import { redactSecrets } from "../terminal/without-secrets.js";
import { diagnoseClocks, diagnoseDatabaseState, diagnoseDiskSpace } from "./database.js";
import { type Diagnosis, ok, problem, runCheck, warning } from "./diagnosis.js";
import { diagnoseMail, diagnoseWallets } from "./services.js";
import { diagnoseSettings } from "./settings.js";

/**
 * Examines an installation without changing anything. A running server can call it too: it opens a connection of its own to the
 * database, only to read, and closes it.
 */
export async function diagnose(database: Database, settings: ServerSettings): Promise<Diagnosis[]> {
  const diagnoses = [
    ...diagnoseRuntime(process.versions.node),
    ...(await runCheck("database", () => diagnoseDatabase(database, settings))),
    ...(await runCheck("settings", () => diagnoseSettings(settings, process.env))),
    ...(await runCheck("wallets", () => diagnoseWallets(settings, Date.now))),
    ...(await runCheck("mail", () => diagnoseMail(settings))),
    ...(await runCheck("disk", () => diagnoseDiskSpace(database.file))),
    ...diagnoseThreads(),
  ];
  return diagnoses.map((each) => ({ ...each, message: toSingleLine(redactSecrets(each.message)) }));
}

async function diagnoseDatabase(database: Database, settings: ServerSettings): Promise<Diagnosis[]> {
  const inspection = await database.inspect({
    replicas: settings.replicaUrl,
    connectTimeoutMs: settings.connectTimeout,
    statementTimeoutMs: settings.statementTimeout,
  });
  return [...diagnoseDatabaseState(inspection, database.name), ...diagnoseClocks(inspection, Date.now())];
}

/**
 * Reports whether this release supports a Node.js version.
 * @param version the version without a leading `v`, such as `22.3.0`.
 */
export function diagnoseRuntime(version: string): Diagnosis[] {
  const [, minVersion = ""] = /^>=([\d.]+)$/.exec(engines.node) ?? [];
  if (isBefore(version, minVersion))
    return [problem("runtime", `Node.js ${version} is too old; install ${minVersion} or later`)];
  return [ok("runtime", `Node.js ${version}`)];
}

/** Reports which kinds of database work run on the main thread because their worker thread couldn't be started. */
function diagnoseThreads(): Diagnosis[] {
  const missing = missingThreads.readAll().filter(({ work }) => work !== "pictures");
  return missing.map(({ message }) => warning("runtime", message));
}

function isBefore(version: string, other: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split(".").map(Number);
  return major === otherMajor ? minor < otherMinor : major < otherMajor;
}
