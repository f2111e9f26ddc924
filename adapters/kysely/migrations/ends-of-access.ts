import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** A grant may end with an API token, and a secret of an app is good for a while beside the one in its place. */
export function endsOfAccess(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns } = dialect;
  const { index } = tableBuilder(dialect);
  return [
    db.schema.alterTable("loyalty_grants").addColumn("token_id", columns.text),
    db.schema.alterTable("loyalty_grants").addColumn("expires_at", columns.integer),
    index("loyalty_grants_token", "loyalty_grants", ["token_id"]).where(sql.ref("token_id"), "is not", null),
    db.schema.alterTable("loyalty_apps").addColumn("previous_secret_hash", columns.text),
    db.schema.alterTable("loyalty_apps").addColumn("previous_secret_expires_at", columns.integer),
  ].map((statement) => statement.compile());
}
