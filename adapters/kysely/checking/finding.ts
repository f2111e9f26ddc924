/**
 * The kinds of checks. Data follows from other rows and can be rebuilt, except references, the audit trail, and findings with a
 * reason, such as those about messages. References left by a deleted tag or segment are removed.
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

/** Something that is not as it has to be. */
export interface IntegrityFinding {
  readonly organizationId: string;
  readonly kind: FindingKind;
  /** Names the row: the slug of a tag, the id of a user or pass, the name of a counter, …. */
  readonly about: string;
  /** True when it was repaired. */
  readonly isRepaired: boolean;
  /** Why it can't be rebuilt, such as a missing ledger entry. */
  readonly reason?: string;
}

/** A finding that can't be repaired, though others of its kind can. */
export interface Unrepairable {
  readonly about: string;
  readonly reason: string;
}

/** The row that differs from what it has to be, as one check names it. */
export type RowProblem = string | Unrepairable;
