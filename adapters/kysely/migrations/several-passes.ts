import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/** Version 32: organizations know whether some user has had more than one pass, so that most changes of a card need not look. */
export function severalPasses({ db, columns }: SqlDialect): CompiledQuery<unknown>[] {
  return [
    db.schema
      .alterTable("loyalty_organizations")
      .addColumn("several_passes", columns.integer, (column) => column.notNull().defaultTo(0))
      .compile(),
    sql`update loyalty_organizations set several_passes = 1 where organization_id in
      (select organization_id from loyalty_wallet_passes group by organization_id, user_ordinal having count(*) > 1)`.compile(
      db,
    ),
  ];
}
