/** What a check looks at. All but references and the audit trail follow from the rest, and can be made anew. */
export type FindingKind = "segments" | "search" | "ledger" | "counters" | "references" | "audit";

/** Something that is not as it has to be. */
export interface Finding {
  readonly organizationId: string;
  readonly kind: FindingKind;
  /** What it is about: the slug of a tag, the id of a pass, the name of a counter, …. */
  readonly about: string;
  /** Whether it is as it has to be now. */
  readonly isMended: boolean;
}

/** What one look found; each names what it is about. */
export type Found = readonly string[];
