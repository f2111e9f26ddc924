import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/** Version 4: webhook endpoints, deliveries and attempts, and events found by their id. */
export function webhookTables(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, tableEnd } = dialect;
  const { table, index, required, optional } = tableBuilder(dialect);
  const { text, integer } = required;
  return [
    table("loyalty_webhook_endpoints", ["id"], tableEnd.plain, {
      id: text,
      url: text,
      description: optional.text,
      types: optional.text,
      secret: text,
      previous_secret: optional.text,
      previous_secret_expires_at: optional.integer,
      disabled_reason: optional.text,
      disabled_at: optional.integer,
      failing_since: optional.integer,
      position: integer,
      due_at: optional.integer,
      created_at: integer,
      updated_at: integer,
    }),
    // Workers look for work in all organizations.
    db.schema
      .createIndex("loyalty_webhook_endpoints_due_at")
      .on("loyalty_webhook_endpoints")
      .column("due_at")
      .where(sql.ref("disabled_at"), "is", null),

    table("loyalty_webhook_deliveries", ["id"], tableEnd.plain, {
      id: text,
      endpoint_id: text,
      event_id: text,
      event_type: text,
      body: text,
      status: text,
      attempts: integer,
      next_attempt_at: optional.integer,
      lease: optional.text,
      created_at: integer,
      updated_at: integer,
    }).addForeignKeyConstraint(
      "loyalty_webhook_deliveries_endpoint",
      ["organization_id", "endpoint_id"],
      "loyalty_webhook_endpoints",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),
    index("loyalty_webhook_deliveries_created_at", "loyalty_webhook_deliveries", [
      "endpoint_id",
      "created_at",
      "id",
    ]),
    index("loyalty_webhook_deliveries_due", "loyalty_webhook_deliveries", [
      "endpoint_id",
      "next_attempt_at",
      "id",
    ]).where("next_attempt_at", "is not", null),

    table("loyalty_webhook_attempts", ["delivery_id", "number"], tableEnd.keyed, {
      delivery_id: text,
      number: integer,
      started_at: integer,
      duration: integer,
      status: optional.integer,
      answer: optional.text,
      error: optional.text,
    }).addForeignKeyConstraint(
      "loyalty_webhook_attempts_delivery",
      ["organization_id", "delivery_id"],
      "loyalty_webhook_deliveries",
      ["organization_id", "id"],
      (key) => key.onDelete("cascade"),
    ),

    index("loyalty_events_id", "loyalty_events", ["id"]),
  ].map((statement) => statement.compile());
}
