import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Version 36: people who sign in. */
export function people(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer } = required;
  return [
    table("loyalty_people", ["id"], dialect.tableEnd.plain, {
      id: text,
      email: text,
      email_fold: text,
      name: optional.text,
      role: text,
      invited_at: integer,
      last_signed_in_at: optional.integer,
      link_hash: optional.text,
      link_expires_at: optional.integer,
      sessions: text,
      created_at: integer,
    }),
    index("loyalty_people_email", "loyalty_people", ["email_fold"]).unique(),
    // Who signs in names no organization.
    dialect.db.schema
      .createIndex("loyalty_people_of_email")
      .on("loyalty_people")
      .columns(["email_fold", "organization_id"]),
  ].map((statement) => statement.compile());
}
