import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Those endpoints that have not reached the end of what they get are found without a look at the others. */
export function endpointsBehind(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { index } = tableBuilder(dialect);
  const endpoints = "loyalty_webhook_endpoints";
  const disabled = sql.ref("disabled_at");
  return [
    index(`${endpoints}_position`, endpoints, ["position"]).where(disabled, "is", null),
    index(`${endpoints}_left`, endpoints, ["id"])
      .where(disabled, "is not", null)
      .where(sql.ref("position"), "<", sql.ref("last_position")),
  ].map((statement) => statement.compile());
}
