import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { addedColumns } from "./table-builder.js";

/** Version 30: deliveries know the position of their event, so that no index needs to have the ids of events. */
export function eventPositions(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db } = dialect;
  return [
    ...addedColumns(dialect, tables.webhookDeliveries, "eventPosition"),
    // An event that is gone by now, for its age, leaves its deliveries without a position.
    sql`update loyalty_webhook_deliveries set event_position = (
      select min(position) from loyalty_events
      where loyalty_events.organization_id = loyalty_webhook_deliveries.organization_id
        and loyalty_events.id = loyalty_webhook_deliveries.event_id)`.compile(db),
    db.schema.dropIndex("loyalty_events_id").compile(),
  ];
}
