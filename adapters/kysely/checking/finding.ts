/**
 * The kinds of checks. Most checked data is derived and can be rebuilt. The exceptions are references, the audit trail, and
 * findings with a reason, such as findings about messages. References left by a deleted tag or segment are removed.
 */
export type FindingKind =
  | "references"
  | "folds"
  | "counters"
  | "copies"
  | "ledger"
  | "messages"
  | "statistics"
  | "search"
  | "segments"
  | "savedSegments"
  | "audit";

/** An inconsistency that a check found. */
export interface IntegrityFinding {
  readonly organizationId: string;
  readonly kind: FindingKind;
  /** Identifies the row, such as a tag's slug, the id of a user or pass, or a counter's name. */
  readonly about: string;
  /** True if it was repaired. */
  readonly isRepaired: boolean;
  /** Reason why it can't be rebuilt, such as a missing ledger entry. */
  readonly reason?: string;
}

/** A problem that can't be repaired, although its kind usually can. */
export interface Unrepairable {
  readonly about: string;
  readonly reason: string;
}

/** A problem with one row, as its check reports it. */
export type RowProblem = string | Unrepairable;
