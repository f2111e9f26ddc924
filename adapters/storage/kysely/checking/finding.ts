/**
 * The kind of data that a check covers. Most kinds are derived data, which checks can rebuild. References, the audit trail, and
 * anything whose finding has a `reason` can't be rebuilt. A dangling reference can be removed only if it was left behind by a
 * deleted tag or segment.
 */
export type FindingKind =
  | "references"
  | "folds"
  | "counters"
  | "copies"
  | "ledger"
  | "points"
  | "purchases"
  | "messages"
  | "statistics"
  | "search"
  | "segments"
  | "savedSegments"
  | "audit";

/** An inconsistency that a check found. */
export interface IntegrityFinding {
  /** The ID of the organization that the affected row belongs to. */
  readonly organizationId: string;
  /** The kind of data that is inconsistent, which determines whether checks can repair it. */
  readonly kind: FindingKind;
  /** Identifies the affected row, for example by a tag's slug, a user or pass ID, or a counter's name. */
  readonly about: string;
  /** Whether the check repaired the inconsistency. Always `false` unless repairs were requested. */
  readonly isRepaired: boolean;
  /** The reason the data can't be rebuilt, such as a missing ledger entry. Absent if the data can be rebuilt. */
  readonly reason?: string;
}

/** A problem that can't be repaired, even though most problems of its kind can be. */
export interface UnrepairableProblem {
  readonly about: string;
  readonly reason: string;
}

/** A problem with one row, as reported by a check. A plain string identifies a row that can be repaired. */
export type RowProblem = string | UnrepairableProblem;
