import type { Database } from "../database/database.js";
import { diagnose } from "../doctor/diagnose.js";
import type { ServerSettings } from "../server/settings.js";
import { CommandError } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";

export type DoctorOptions = ServerSettings & { readonly database: Database; readonly json: boolean };

/**
 * Examines an installation without changing anything, and prints the findings.
 * @throws {CommandError} after printing all findings, if any of them is a problem.
 */
export async function runDoctor(
  { database, json, ...settings }: DoctorOptions,
  output: Output,
): Promise<void> {
  const diagnoses = await diagnose(database, settings);
  if (json) output.result(JSON.stringify({ diagnoses }));
  else for (const { state, part, message } of diagnoses) output.result(`${state}: ${part}: ${message}`);
  const problems = diagnoses.filter(({ state }) => state === "problem").length;
  if (problems > 0) throw new CommandError(problems === 1 ? "found 1 problem" : `found ${problems} problems`);
}
