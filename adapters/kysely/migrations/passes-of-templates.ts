import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/**
 * Version 34: the passes of a template are found without their stamps in the index, so that a stamp changes no index. Who has
 * so many stamps is read from the column that segments have.
 */
export function passesOfTemplates(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { index } = tableBuilder(dialect);
  return [
    dialect.db.schema.dropIndex("loyalty_wallet_passes_stamps"),
    index("loyalty_wallet_passes_of_template", "loyalty_wallet_passes", ["template_id"]),
  ].map((statement) => statement.compile());
}
