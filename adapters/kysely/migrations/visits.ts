import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { visitsOfLedger } from "../sql/visits-of-ledger.js";
import { addedColumns } from "./table-builder.js";

/** Cards have the times of their newest visits, which were in their ledgers alone, and organizations count untold changes. */
export function visitsOfCards(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns } = dialect;
  return [
    ...addedColumns(dialect, tables.walletPasses, "visits"),
    db.schema
      .alterTable("loyalty_organizations")
      .addColumn("untold_changes", columns.integer, (column) => column.notNull().defaultTo(0))
      .compile(),
    sql`update loyalty_wallet_passes set visits = ${visitsOfLedger("loyalty_wallet_passes")}
      where max_stamps is not null`.compile(db),
  ];
}
