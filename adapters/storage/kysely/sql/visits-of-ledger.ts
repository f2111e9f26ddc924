import { type RawBuilder, sql } from "kysely";
import { MAX_STORED_VISITS } from "../../../../src/storage/passes.js";

/**
 * Builds an expression that computes a stamp card's most recent visits from its ledger, in the card's storage format.
 * @param passes the name or alias of the passes table in the query.
 */
export function visitsOfLedger(passes: string): RawBuilder<string> {
  const card = (column: string) => sql.ref(`${passes}.${column}`);
  return sql<string>`coalesce((
    select '[' || string_agg(cast(newest.created_at as text), ',' order by newest.created_at desc) || ']'
    from (
      select entry.created_at from loyalty_stamp_entries entry
      where entry.organization_id = ${card("organization_id")} and entry.pass_id = ${card("id")}
        and entry.type = 'added' and not exists (
          select 1 from loyalty_stamp_entries reversal
          where reversal.organization_id = entry.organization_id and reversal.pass_id = entry.pass_id
            and reversal.reverses = entry.id
        )
      order by entry.created_at desc limit ${sql.lit(MAX_STORED_VISITS)}
    ) newest
  ), '[]')`;
}
