import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/**
 * Version 6: deliveries refer to events of the outbox, endpoints know how many they have pending and what a disabled one
 * still gets, and organizations know when their newest event came.
 */
export function deliveriesByReference(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns } = dialect;
  const { index } = tableBuilder(dialect);
  const ofEndpoint = sql`
    where loyalty_webhook_deliveries.organization_id = loyalty_webhook_endpoints.organization_id
      and loyalty_webhook_deliveries.endpoint_id = loyalty_webhook_endpoints.id
      and loyalty_webhook_deliveries.next_attempt_at is not null`;
  return [
    db.schema.alterTable("loyalty_webhook_deliveries").addColumn("own_body", columns.text).compile(),
    // Only pending deliveries are sent again; replays read the outbox.
    sql`update loyalty_webhook_deliveries set own_body = body
      where next_attempt_at is not null and not exists (
        select 1 from loyalty_events
        where loyalty_events.organization_id = loyalty_webhook_deliveries.organization_id
          and loyalty_events.id = loyalty_webhook_deliveries.event_id)`.compile(db),
    db.schema.alterTable("loyalty_webhook_deliveries").dropColumn("body").compile(),
    index("loyalty_webhook_deliveries_event", "loyalty_webhook_deliveries", ["event_id"])
      .where(sql.ref("next_attempt_at"), "is not", null)
      .compile(),

    db.schema
      .alterTable("loyalty_webhook_endpoints")
      .addColumn("pending", columns.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .compile(),
    sql`update loyalty_webhook_endpoints set pending = (
      select count(*) from loyalty_webhook_deliveries ${ofEndpoint})`.compile(db),
    db.schema.alterTable("loyalty_webhook_endpoints").addColumn("last_position", columns.integer).compile(),
    sql`update loyalty_webhook_endpoints set last_position = position where disabled_at is not null`.compile(
      db,
    ),

    db.schema
      .alterTable("loyalty_organizations")
      .addColumn("newest_event_minute", columns.integer, (column) => column.notNull().defaultTo(sql.lit(0)))
      .compile(),
    db.schema
      .createIndex("loyalty_organizations_newest_event_minute")
      .on("loyalty_organizations")
      .column("newest_event_minute")
      .compile(),
  ];
}
