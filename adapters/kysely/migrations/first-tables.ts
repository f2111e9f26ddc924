import { type CompiledQuery, sql } from "kysely";
import { CHUNK_BYTES } from "../../../src/storage/bitmap.js";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/*
 * Every key begins with organization_id. A keyed table has small rows that are found by their key alone; the
 * rows of users keep a row number beside it. Indexes beside the keys serve foreign keys and the orders of lists.
 */

/** Version 1: all tables. */
export function firstTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer, bytes } = required;

  return [
    table("loyalty_organizations", [], tableEnd.keyed, {
      next_user_ordinal: integer,
      newest_user_id: optional.text,
      newest_user_created_at: optional.integer,
      next_tag_ordinal: integer,
    }),

    table("loyalty_users", ["id"], tableEnd.plain, {
      id: text,
      ordinal: integer,
      email: text,
      name: optional.text,
      phone: optional.text,
      external_id: optional.text,
      metadata: text,
      created_at: integer,
      updated_at: integer,
      email_fold: text,
      name_fold: optional.text,
      phone_fold: optional.text,
      external_id_fold: optional.text,
    })
      .addUniqueConstraint("loyalty_users_ordinal", ["organization_id", "ordinal"])
      .addUniqueConstraint("loyalty_users_email_fold", ["organization_id", "email_fold"])
      .addUniqueConstraint("loyalty_users_external_id", ["organization_id", "external_id"]),
    index("loyalty_users_updated_at", "loyalty_users", ["updated_at"]),

    table("loyalty_user_tags", ["id"], tableEnd.plain, {
      id: text,
      ordinal: integer,
      slug: text,
      name: text,
      description: optional.text,
      color: text,
      created_at: integer,
      updated_at: integer,
    })
      .addUniqueConstraint("loyalty_user_tags_ordinal", ["organization_id", "ordinal"])
      .addUniqueConstraint("loyalty_user_tags_slug", ["organization_id", "slug"]),

    table("loyalty_user_tag_assignments", ["user_ordinal", "tag_ordinal"], tableEnd.keyed, {
      user_ordinal: integer,
      tag_ordinal: integer,
      id: text,
      created_at: integer,
    })
      .addForeignKeyConstraint(
        "loyalty_user_tag_assignments_user",
        ["organization_id", "user_ordinal"],
        "loyalty_users",
        ["organization_id", "ordinal"],
        (key) => key.onDelete("cascade"),
      )
      .addForeignKeyConstraint(
        "loyalty_user_tag_assignments_tag",
        ["organization_id", "tag_ordinal"],
        "loyalty_user_tags",
        ["organization_id", "ordinal"],
        (key) => key.onDelete("cascade"),
      ),
    index("loyalty_user_tag_assignments_of_tag", "loyalty_user_tag_assignments", [
      "tag_ordinal",
      "user_ordinal",
    ]),

    table("loyalty_segment_sets", ["set_id"], tableEnd.keyed, { set_id: integer, version: integer }),

    table("loyalty_segment_chunks", ["set_id", "chunk"], tableEnd.plain, {
      set_id: integer,
      chunk: integer,
      version: integer,
      bits: bytes,
    })
      .addForeignKeyConstraint(
        "loyalty_segment_chunks_set",
        ["organization_id", "set_id"],
        "loyalty_segment_sets",
        ["organization_id", "set_id"],
        (key) => key.onDelete("cascade"),
      )
      .addCheckConstraint("loyalty_segment_chunks_bits", sql`length(bits) = ${sql.lit(CHUNK_BYTES)}`),

    table("loyalty_templates", ["id"], tableEnd.plain, {
      id: text,
      name: text,
      type: text,
      max_stamps: optional.integer,
      created_at: integer,
      updated_at: integer,
    }),

    table("loyalty_wallet_passes", ["id"], tableEnd.plain, {
      id: text,
      user_ordinal: integer,
      template_id: text,
      code: text,
      is_preview_pass: integer,
      installation_status: optional.text,
      max_stamps: optional.integer,
      current_stamps: optional.integer,
      times_completed: optional.integer,
      rewards_available: optional.integer,
      total_stamps_collected: optional.integer,
      last_stamp_at: optional.integer,
      entries: optional.integer,
      created_at: integer,
      updated_at: integer,
    })
      .addUniqueConstraint("loyalty_wallet_passes_code", ["organization_id", "code"])
      .addForeignKeyConstraint(
        "loyalty_wallet_passes_user",
        ["organization_id", "user_ordinal"],
        "loyalty_users",
        ["organization_id", "ordinal"],
        (key) => key.onDelete("cascade"),
      )
      .addForeignKeyConstraint(
        "loyalty_wallet_passes_template",
        ["organization_id", "template_id"],
        "loyalty_templates",
        ["organization_id", "id"],
        (key) => key.onDelete("restrict"),
      ),
    index("loyalty_wallet_passes_of_user", "loyalty_wallet_passes", ["user_ordinal"]),
    index("loyalty_wallet_passes_stamps", "loyalty_wallet_passes", [
      "template_id",
      "current_stamps",
      "user_ordinal",
    ]),

    table("loyalty_stamp_entries", ["pass_id", "sequence"], tableEnd.keyed, {
      pass_id: text,
      sequence: integer,
      id: text,
      type: text,
      delta: integer,
      stamps_before: integer,
      stamps_after: integer,
      completions: integer,
      note: optional.text,
      created_at: integer,
    }).addForeignKeyConstraint(
      "loyalty_stamp_entries_pass",
      ["organization_id", "pass_id"],
      "loyalty_wallet_passes",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),

    table("loyalty_api_tokens", ["id"], tableEnd.plain, {
      id: text,
      name: text,
      prefix: text,
      hash: text,
      scopes: text,
      created_at: integer,
      last_used_at: optional.integer,
      expires_at: optional.integer,
    }),
    // A caller who shows a token is not known yet, so this one look-up has no organization.
    db.schema.createIndex("loyalty_api_tokens_hash").on("loyalty_api_tokens").column("hash"),
  ].map((statement) => statement.compile());
}
