/** Something that is wrong with a setup, or soon will be. */
export interface SetupFinding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** Says it in words, with what to do. It quotes no secret. */
  readonly message: string;
}

export const error = (code: string, message: string): SetupFinding => ({ severity: "error", code, message });
export const warning = (code: string, message: string): SetupFinding => ({
  severity: "warning",
  code,
  message,
});
