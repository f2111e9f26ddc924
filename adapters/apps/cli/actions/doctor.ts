import type { Database } from "../database/database.js";
import { clockDiagnoses, databaseDiagnoses } from "../doctor/database.js";
import { type Diagnosis, runCheck } from "../doctor/diagnosis.js";
import { diskDiagnoses } from "../doctor/disk.js";
import { runtimeDiagnoses, threadDiagnoses } from "../doctor/runtime.js";
import { mailDiagnoses, walletDiagnoses } from "../doctor/services.js";
import { settingsDiagnoses } from "../doctor/settings.js";
import type { ServerSettings } from "../server/settings.js";
import { CommandError } from "../terminal/command-error.js";
import { type Output, oneLine } from "../terminal/output.js";
import { withoutSecrets } from "../terminal/without-secrets.js";

export type DoctorOptions = ServerSettings & { readonly database: Database; readonly json: boolean };

/**
 * Examines an installation without changing anything, and prints the findings.
 * @throws {CommandError} after printing all findings, if any of them is a problem.
 */
export async function runDoctor(
  { database, json, ...settings }: DoctorOptions,
  output: Output,
): Promise<void> {
  const diagnoses = [
    ...runtimeDiagnoses(process.versions.node),
    ...(await runCheck("database", () => diagnoseDatabase(database, settings))),
    ...(await runCheck("settings", () => settingsDiagnoses(settings, process.env))),
    ...(await runCheck("wallets", () => walletDiagnoses(settings, Date.now))),
    ...(await runCheck("mail", () => mailDiagnoses(settings))),
    ...(await runCheck("disk", () => diskDiagnoses(database.file))),
    ...threadDiagnoses(),
  ].map((each) => ({ ...each, message: oneLine(withoutSecrets(each.message)) }));
  if (json) output.result(JSON.stringify({ diagnoses }));
  else for (const { state, part, message } of diagnoses) output.result(`${state}: ${part}: ${message}`);
  const problems = diagnoses.filter(({ state }) => state === "problem").length;
  if (problems > 0) throw new CommandError(problems === 1 ? "found 1 problem" : `found ${problems} problems`);
}

async function diagnoseDatabase(database: Database, settings: ServerSettings): Promise<Diagnosis[]> {
  const found = await database.inspect({
    replicas: settings.replicaUrl,
    connectTimeoutMs: settings.connectTimeout,
    statementTimeoutMs: settings.statementTimeout,
  });
  return [...databaseDiagnoses(found, database.name), ...clockDiagnoses(found, Date.now())];
}
