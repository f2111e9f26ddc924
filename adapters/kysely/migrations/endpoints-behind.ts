import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Adds an index that finds the endpoints behind the end of their events without reading the others. */
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
