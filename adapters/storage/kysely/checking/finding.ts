/**
 * The kind of data that a check covers. Most of this data is derived, so it can be rebuilt. References, the audit trail, and
 * findings with a reason can't be rebuilt, except that references left by a deleted tag or segment are removed.
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
  /** The id of the organization that the row belongs to. */
  readonly organizationId: string;
  /** The kind of inconsistency. */
  readonly kind: FindingKind;
  /** Identifies the affected row, for example by a tag's slug, the ID of a user or pass, or a counter's name. */
  readonly about: string;
  /** Whether the inconsistency was repaired. */
  readonly isRepaired: boolean;
  /** The reason why the data can't be rebuilt, such as a missing ledger entry. */
  readonly reason?: string;
}

/** A problem that can't be repaired, although most problems of its kind can. */
export interface Unrepairable {
  readonly about: string;
  readonly reason: string;
}

/** A problem with one row, as reported by a check. A plain string identifies a row that can be repaired. */
export type RowProblem = string | Unrepairable;
