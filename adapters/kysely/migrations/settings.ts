import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { addedColumns, tableBuilder } from "./table-builder.js";

/** Version 24: the settings of organizations, with the zone that their days are of. */
export function settingsTable(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { table, required } = tableBuilder(dialect);
  const { text, integer } = required;
  return [
    table("loyalty_settings", [], dialect.tableEnd.plain, {
      time_zone: text,
      counted_since: integer,
      updated_at: integer,
    }).compile(),
    ...addedColumns(dialect, tables.organizations, "timeZone"),
  ];
}
