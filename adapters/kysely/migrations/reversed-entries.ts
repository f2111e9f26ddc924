import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/** An entry of a ledger may reverse another one, which is reversed once. */
export function reversedEntries({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  return [
    db.schema.alterTable("loyalty_stamp_entries").addColumn("reverses", columns.text),
    db.schema
      .createIndex("loyalty_stamp_entries_reverses")
      .unique()
      .on("loyalty_stamp_entries")
      .columns(["organization_id", "pass_id", "reverses"])
      .where(sql.ref("reverses"), "is not", null),
  ].map((statement) => statement.compile());
}
