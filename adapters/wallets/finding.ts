/** Something that is wrong with how wallets are set up, or soon will be. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** In words, with what to do. It quotes no secret. */
  readonly message: string;
}

export function error(code: string, message: string): Finding {
  return { severity: "error", code, message };
}

export function warning(code: string, message: string): Finding {
  return { severity: "warning", code, message };
}
