/** What a check looks at. All but references, the audit trail and what says a reason follow from the rest, and can be made anew. */
export type FindingKind =
  | "references"
  | "folds"
  | "counters"
  | "copies"
  | "ledger"
  | "statistics"
  | "search"
  | "segments"
  | "audit";

/** Something that is not as it has to be. */
export interface Finding {
  readonly organizationId: string;
  readonly kind: FindingKind;
  /** What it is about: the slug of a tag, the id of a user or pass, the name of a counter, …. */
  readonly about: string;
  /** Whether it is as it has to be now. */
  readonly isMended: boolean;
  /** Why it is not made anew from the rest, such as that an entry of a ledger is missing. */
  readonly reason?: string;
}

/** What is not made anew, though others of its kind are. */
export interface Unmendable {
  readonly about: string;
  readonly reason: string;
}

/** What one look found: each names what it is about. */
export type Found = readonly (string | Unmendable)[];
