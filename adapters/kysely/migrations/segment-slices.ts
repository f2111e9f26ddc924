import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/**
 * Version 42: the members of segments lie slice by slice, those of all segments for the same users side by side, so that somebody who
 * moves in several segments changes a page or two. They lay by segment, in chunks of fifteen slices. A reference to the segment would
 * make the database look through all slices where a segment is removed.
 */
export function segmentSlices(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, tableEnd, clustersByKey } = dialect;
  const { table, required } = tableBuilder(dialect);
  const { text, integer, bytes } = required;
  const nobody = clustersByKey ? sql`zeroblob(128)` : sql`decode(repeat('00', 128), 'hex')`;
  const ordinals = sql`substr(chunks.ordinals, parts.part * 128 + 1, 128)`;
  return [
    table("loyalty_segment_slices", ["slice", "segment_id"], tableEnd.keyed, {
      slice: integer,
      segment_id: text,
      ordinals: bytes,
    }).compile(),
    sql`insert into loyalty_segment_slices (organization_id, slice, segment_id, ordinals)
      with recursive parts (part) as (select 0 union all select part + 1 from parts where part < 14)
      select chunks.organization_id, chunks.chunk * 15 + parts.part, chunks.segment_id, ${ordinals}
      from loyalty_segment_members chunks cross join parts where ${ordinals} <> ${nobody}`.compile(db),
    db.schema.dropTable("loyalty_segment_members").compile(),
  ];
}
