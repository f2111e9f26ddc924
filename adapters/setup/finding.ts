/** A problem with the setup that exists now or is about to occur. */
export interface SetupFinding {
  /** Whether something doesn't work (`error`) or may not (`warning`). */
  readonly severity: "error" | "warning";
  /** The code of the finding, which never changes. */
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
