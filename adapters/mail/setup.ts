/** Something that is wrong with how mail is set up, or soon will be. */
export interface Finding {
  readonly severity: "error" | "warning";
  readonly code: string;
  /** In words, with what to do. It quotes no secret. */
  readonly message: string;
}
