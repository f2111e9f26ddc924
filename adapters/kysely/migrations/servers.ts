import type { CompiledQuery } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/** Version 18: which processes serve the database. It is of no organization, as the versions are. */
export function servers({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  return [
    db.schema
      .createTable("loyalty_servers")
      .addColumn("id", columns.text, (column) => column.primaryKey().notNull())
      .addColumn("key_print", columns.text, (column) => column.notNull())
      .addColumn("seen_at", columns.integer, (column) => column.notNull())
      .compile(),
  ];
}
