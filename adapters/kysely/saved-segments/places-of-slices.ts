import { sql } from "kysely";
import type { Slot } from "../sql/prepared.js";

export interface OfSegment {
  organizationId: string;
  segmentId: string;
}

/** Every place at which a segment of the organization has a slice: the rows of one segment alone are found by these. */
export function placesOfSlices(slot: Slot<OfSegment>) {
  return sql<number>`(with recursive places (place) as (
    select 0 union all select place + 1 from places where place < (select max(slice) from loyalty_segment_slices
      where organization_id = ${slot("organizationId")})) select place from places)`;
}
