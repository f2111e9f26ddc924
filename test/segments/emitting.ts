import type { Organization, SegmentFilter } from "loyalty-kit";

/** Saves a segment that emits events. @returns its id. */
export async function createEmittingSegment(
  { segments }: Organization,
  name: string,
  filter: SegmentFilter,
): Promise<string> {
  return (await segments.create({ name, filter, emitsEvents: true })).id;
}
