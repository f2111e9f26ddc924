/** A problem with a setup, present or imminent. */
export interface SetupFinding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** Describes the problem and how to fix it. Contains no secrets. */
  readonly message: string;
}

export const error = (code: string, message: string): SetupFinding => ({ severity: "error", code, message });
export const warning = (code: string, message: string): SetupFinding => ({
  severity: "warning",
  code,
  message,
});
