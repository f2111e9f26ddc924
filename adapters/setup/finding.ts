/** A current or upcoming problem with the setup. */
export interface SetupFinding {
  /** `error` if something doesn't work, or `warning` if something might not work. */
  readonly severity: "error" | "warning";
  /** A code that identifies the problem. Codes never change. */
  readonly code: string;
  /** Describes the problem and how to fix it. Never contains secrets. */
  readonly message: string;
}

export const error = (code: string, message: string): SetupFinding => ({ severity: "error", code, message });
export const warning = (code: string, message: string): SetupFinding => ({
  severity: "warning",
  code,
  message,
});
