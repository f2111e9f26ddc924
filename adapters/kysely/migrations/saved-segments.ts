import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { addedColumns, tableBuilder } from "./table-builder.js";

/** Version 27: saved segments, their members as they were told, and how far time is told. */
export function savedSegmentTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer, bytes } = required;
  const { plain } = dialect.tableEnd;
  return [
    table("loyalty_saved_segments", ["id"], plain, {
      id: text,
      slug: text,
      name: text,
      description: optional.text,
      color: optional.text,
      filter: text,
      emits_events: integer,
      is_settling: integer,
      revision: integer,
      told_since: integer,
      created_at: integer,
      updated_at: integer,
    }),
    index("loyalty_saved_segments_slug", "loyalty_saved_segments", ["slug"]).unique(),

    table("loyalty_segment_members", ["segment_id", "chunk"], plain, {
      segment_id: text,
      chunk: integer,
      ordinals: bytes,
    }).addForeignKeyConstraint(
      "loyalty_segment_members_segment",
      ["organization_id", "segment_id"],
      "loyalty_saved_segments",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),
    table("loyalty_segment_marks", [], plain, { settled_through: integer, looked_at: integer }),
    table("loyalty_settled_users", ["user_ordinal"], plain, {
      user_ordinal: integer,
      through: integer,
    }).addForeignKeyConstraint(
      "loyalty_settled_users_user",
      ["organization_id", "user_ordinal"],
      "loyalty_users",
      ["organization_id", "ordinal"],
      (key) => key.onDelete("cascade"),
    ),
    index("loyalty_settled_users_through", "loyalty_settled_users", ["through", "user_ordinal"]),
    table("loyalty_segment_days", ["segment_id", "day"], plain, {
      segment_id: text,
      day: integer,
      members: optional.integer,
      entered: integer,
      left: integer,
    }).addForeignKeyConstraint(
      "loyalty_segment_days_segment",
      ["organization_id", "segment_id"],
      "loyalty_saved_segments",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),
  ]
    .map((statement) => statement.compile())
    .concat(addedColumns(dialect, tables.organizations, "emittingSegments"));
}
