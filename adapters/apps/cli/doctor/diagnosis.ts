import type { SetupFinding } from "../../../setup/finding.js";
import type { ServerFinding } from "../../console/index.js";
import { CommandError } from "../terminal/command-error.js";

/** A finding of `loyalty-kit doctor`, which the console shows to operators too. */
export type Diagnosis = ServerFinding;

/** An area that `loyalty-kit doctor` checks. */
export type CheckArea = Diagnosis["part"];

export const ok = (part: CheckArea, message: string): Diagnosis => ({ part, state: "ok", message });
export const off = (part: CheckArea, message: string): Diagnosis => ({ part, state: "off", message });
export const warning = (part: CheckArea, message: string): Diagnosis => ({ part, state: "warning", message });
export const problem = (part: CheckArea, message: string): Diagnosis => ({ part, state: "problem", message });

/**
 * Converts findings to diagnoses. If there are no findings, returns a single `ok` diagnosis.
 * @param okMessage the message for the `ok` diagnosis.
 */
export function toDiagnoses(
  part: CheckArea,
  findings: readonly SetupFinding[],
  okMessage: string,
): Diagnosis[] {
  if (findings.length === 0) return [ok(part, okMessage)];
  return findings.map(({ severity, message }) =>
    severity === "error" ? problem(part, message) : warning(part, message),
  );
}

/**
 * Runs a check and returns its diagnoses. If the check throws a {@link CommandError} or a `TypeError`, returns a problem with the
 * error's message, because these messages are written for users.
 * @throws any other error that the check throws.
 */
export async function runCheck(
  part: CheckArea,
  check: () => readonly Diagnosis[] | Promise<readonly Diagnosis[]>,
): Promise<readonly Diagnosis[]> {
  try {
    return await check();
  } catch (error) {
    // A TypeError describes an invalid wallet or mail option.
    if (error instanceof CommandError || error instanceof TypeError) return [problem(part, error.message)];
    throw error;
  }
}
