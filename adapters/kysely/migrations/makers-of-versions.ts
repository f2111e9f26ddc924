import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { addedColumns } from "./table-builder.js";

/** Version 44: a past version of an automation has its own maker. Those that are kept have that of the present one, as they had before. */
export function makersOfVersions(dialect: SqlDialect): CompiledQuery<unknown>[] {
  return [
    ...addedColumns(dialect, tables.automationVersions, "makerId"),
    sql`update loyalty_automation_versions set maker_id = (
      select maker_id from loyalty_automations
      where loyalty_automations.organization_id = loyalty_automation_versions.organization_id
        and loyalty_automations.id = loyalty_automation_versions.automation_id)`.compile(dialect.db),
  ];
}
