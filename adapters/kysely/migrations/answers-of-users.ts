import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** A kept answer knows whom it tells of, so that it can go with that user. */
export function answersOfUsers(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns } = dialect;
  const { index } = tableBuilder(dialect);
  return [
    db.schema.alterTable("loyalty_answers").addColumn("user_id", columns.text),
    index("loyalty_answers_user", "loyalty_answers", ["user_id"]).where(sql.ref("user_id"), "is not", null),
  ].map((statement) => statement.compile());
}
