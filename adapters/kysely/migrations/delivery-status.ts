import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Deliveries that did not arrive (yet) are found by their status, and endpoints know since when they are slow. */
export function deliveryStatus(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns } = dialect;
  const { index } = tableBuilder(dialect);
  return [
    index("loyalty_webhook_deliveries_status", "loyalty_webhook_deliveries", [
      "endpoint_id",
      "status",
      "created_at",
      "id",
    ]).where(sql.ref("status"), "<>", sql.lit("delivered")),
    db.schema.alterTable("loyalty_webhook_endpoints").addColumn("slow_since", columns.integer),
  ].map((statement) => statement.compile());
}
