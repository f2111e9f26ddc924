import type { FactKind } from "../segments/facts.js";
import type { StoredSegmentMark } from "../storage/saved-segments.js";
import type { JudgedSegment, JudgedSegments, Judgement } from "./judged-segments.js";

/** The segments of an organization, and the day that everything is judged on. */
export interface SegmentsNow {
  readonly state: JudgedSegments;
  readonly mark: StoredSegmentMark;
  readonly judgement: Judgement;
}

/** Returns whether time is told of everybody, and no members are being counted anew. */
export function isSettled({ mark, judgement, state }: SegmentsNow): boolean {
  return mark.settledThrough >= judgement.at && !state.isCounting;
}

/** The segments that read facts of a kind. */
export function readersOf({ judgement }: SegmentsNow, kind: FactKind): readonly JudgedSegment[] {
  return judgement.readers.get(kind) ?? [];
}

/** The facts that some segments read. */
export function kindsOf(segments: readonly JudgedSegment[]): ReadonlySet<FactKind> {
  return new Set(segments.flatMap(({ kinds }) => [...kinds]));
}
