/**
 * The kinds of checks. All data but references, the audit trail and findings with a reason, as those of messages, follow from
 * other rows, and can be made anew. Of references, what is left of a deleted tag or segment is removed.
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
  /** Why it is not made anew from the rest, such as that an entry of a ledger is missing. */
  readonly reason?: string;
}

/** A finding that can't be repaired, though others of its kind can. */
export interface Unrepairable {
  readonly about: string;
  readonly reason: string;
}

/** The row that differs from what it has to be, as one check names it. */
export type RowProblem = string | Unrepairable;
