import type { CompiledQuery } from "kysely";
import { hourNames } from "../../../src/storage/hour-counts.js";
import { sqlName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

/** Visits are counted by the hour from this version on: those before stay uncounted. */
export function visitHours({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  return hourNames.map((name) =>
    db.schema
      .alterTable("loyalty_day_counts")
      .addColumn(sqlName(name), columns.integer, (column) => column.notNull().defaultTo(0))
      .compile(),
  );
}
