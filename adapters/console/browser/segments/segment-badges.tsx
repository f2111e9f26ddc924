import type { Segment } from "../../../../src/resources/segment.js";
import { savedSegments } from "../words/en/segments.js";

/** Facts about a segment in addition to its members. */
export function SegmentBadges({ segment: { emitsEvents, isRecounting } }: { readonly segment: Segment }) {
  return (
    <>
      {emitsEvents && <span class="chip good">{savedSegments.tells}</span>}
      {isRecounting && <span class="chip warn">{savedSegments.settling}</span>}
    </>
  );
}
