import type { Segment } from "../../../../../src/segments/schema.js";
import { savedSegments } from "../words/en/segments.js";

/** Badges that show whether a segment emits events and whether it is being recounted. */
export function SegmentBadges({ segment: { emitsEvents, isRecounting } }: { readonly segment: Segment }) {
  return (
    <>
      {emitsEvents && <span class="chip good">{savedSegments.reports}</span>}
      {isRecounting && <span class="chip warn">{savedSegments.settling}</span>}
    </>
  );
}

/** A dot in the segment's color. Renders nothing if the segment has no color. */
export function SegmentDot({ color }: { readonly color: string | null }) {
  if (color === null) return null;
  return (
    <>
      <span class="segment-dot" style={{ "--dot": color }} />{" "}
    </>
  );
}
