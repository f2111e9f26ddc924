/** A dot in the segment's color. Renders nothing if the segment has no color. */
export function SegmentDot({ color }: { readonly color: string | null }) {
  if (color === null) return null;
  return (
    <>
      <span class="segment-dot" style={{ "--dot": color }} />{" "}
    </>
  );
}
