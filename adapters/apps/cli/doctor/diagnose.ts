import type { Database } from "../database/database.js";
import type { ServerSettings } from "../server/settings.js";
import { oneLine } from "../terminal/output.js";
import { withoutSecrets } from "../terminal/without-secrets.js";
import { clockDiagnoses, databaseDiagnoses } from "./database.js";
import { type Diagnosis, runCheck } from "./diagnosis.js";
import { diskDiagnoses } from "./disk.js";
import { runtimeDiagnoses, threadDiagnoses } from "./runtime.js";
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
  return diagnoses.map((each) => ({ ...each, message: oneLine(withoutSecrets(each.message)) }));
}

async function diagnoseDatabase(database: Database, settings: ServerSettings): Promise<Diagnosis[]> {
  const inspection = await database.inspect({
    replicas: settings.replicaUrl,
    connectTimeoutMs: settings.connectTimeout,
    statementTimeoutMs: settings.statementTimeout,
  });
  return [...databaseDiagnoses(inspection, database.name), ...clockDiagnoses(inspection, Date.now())];
}
