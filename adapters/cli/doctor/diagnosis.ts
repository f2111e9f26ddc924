import type { SetupFinding } from "../../setup/finding.js";
import { CommandError } from "../terminal/command-error.js";

/** The examined parts of an installation, in the order of the report. */
export type CheckArea = "runtime" | "database" | "settings" | "wallets" | "mail" | "clock" | "disk";

/** One thing that was looked at. */
export interface Diagnosis {
  readonly part: CheckArea;
  /** `off`: the part isn't set up, so there is nothing to look at. */
  readonly state: "ok" | "off" | "warning" | "problem";
  /** Says it in words, with what to do unless it is well. It quotes no secret. */
  readonly message: string;
}

export const ok = (part: CheckArea, message: string): Diagnosis => ({ part, state: "ok", message });
export const off = (part: CheckArea, message: string): Diagnosis => ({ part, state: "off", message });
export const warning = (part: CheckArea, message: string): Diagnosis => ({ part, state: "warning", message });
export const problem = (part: CheckArea, message: string): Diagnosis => ({ part, state: "problem", message });

/** Converts findings to diagnoses; without findings reports that all is well. */
export function toDiagnoses(
  part: CheckArea,
  findings: readonly SetupFinding[],
  otherwise: string,
): Diagnosis[] {
  if (findings.length === 0) return [ok(part, otherwise)];
  return findings.map(({ severity, message }) =>
    severity === "error" ? problem(part, message) : warning(part, message),
  );
}

/** Looks at something. A look that fails with a sentence for the user is a problem. @throws any other error. */
export async function runCheck(
  part: CheckArea,
  look: () => readonly Diagnosis[] | Promise<readonly Diagnosis[]>,
): Promise<readonly Diagnosis[]> {
  try {
    return await look();
  } catch (error) {
    // A TypeError describes an invalid option of wallets or mail.
    if (error instanceof CommandError || error instanceof TypeError) return [problem(part, error.message)];
    throw error;
  }
}
