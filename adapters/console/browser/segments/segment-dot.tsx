/** Shows a segment's color, if it has one. */
export function SegmentDot({ color }: { readonly color: string | null }) {
  if (color === null) return null;
  return (
    <>
      <span class="segment-dot" style={{ "--dot": color }} />{" "}
    </>
  );
}
