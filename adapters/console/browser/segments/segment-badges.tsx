import type { Segment } from "../../../../src/resources/segment.js";
import { saved } from "../words/en/segments.js";

/** Facts about a segment in addition to its members. */
export function SegmentBadges({ segment: { emitsEvents, isRecounting } }: { readonly segment: Segment }) {
  return (
    <>
      {emitsEvents && <span class="chip good">{saved.tells}</span>}
      {isRecounting && <span class="chip warn">{saved.settling}</span>}
    </>
  );
}
