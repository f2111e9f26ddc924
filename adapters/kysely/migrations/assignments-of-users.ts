import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/**
 * Version 37: assignments are found by their users alone, since the set of a tag says who has it. So an assignment changes no
 * index of tags, and no reference to a tag makes the database look for assignments where a tag is removed.
 */
export function assignmentsOfUsers(dialect: SqlDialect): CompiledQuery<unknown>[] {
  return dialect.clustersByKey ? assignmentsAnew(dialect) : assignmentsAltered(dialect);
}

function assignmentsAltered({ db }: SqlDialect): CompiledQuery<unknown>[] {
  return [
    db.schema
      .alterTable("loyalty_user_tag_assignments")
      .dropConstraint("loyalty_user_tag_assignments_tag")
      .ifExists()
      .compile(),
    db.schema.dropIndex("loyalty_user_tag_assignments_of_tag").ifExists().compile(),
  ];
}

/** The same rows in a table without the reference, which can't be dropped where tables lie in the order of their keys. */
function assignmentsAnew(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, tableEnd } = dialect;
  const { table, required } = tableBuilder(dialect);
  const { text, integer } = required;
  return [
    table("loyalty_user_tag_assignments_anew", ["user_ordinal", "tag_ordinal"], tableEnd.keyed, {
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
      .compile(),
    sql`insert into loyalty_user_tag_assignments_anew select * from loyalty_user_tag_assignments`.compile(db),
    db.schema.dropTable("loyalty_user_tag_assignments").compile(),
    db.schema
      .alterTable("loyalty_user_tag_assignments_anew")
      .renameTo("loyalty_user_tag_assignments")
      .compile(),
  ];
}
