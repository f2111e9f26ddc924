import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** A kept answer knows how many bytes were kept until and with it, so that the first can go above so many. */
export function answerBytes(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns } = dialect;
  const { index } = tableBuilder(dialect);
  return [
    db.schema
      .alterTable("loyalty_answers")
      .addColumn("end_bytes", columns.integer, (column) => column.notNull().defaultTo(0)),
    index("loyalty_answers_end_bytes", "loyalty_answers", ["end_bytes"]),
  ].map((statement) => statement.compile());
}
