import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";
import { tableBuilder } from "./table-builder.js";

/**
 * Version 10: what was counted on each day. What was before is counted from the rows that there are, so users and passes
 * that were deleted, with their stamps, are in no number of the days before.
 */
export function dayCounts(dialect: SqlDialect): CompiledQuery<unknown>[] {
  const { db, columns, tableEnd } = dialect;
  const { table, required } = tableBuilder(dialect);
  const { integer } = required;
  const names = ["members", "cards", "stamps", "rewards_earned", "rewards_redeemed", "installs_other"];
  const summed = sql.join(names.map((name) => sql`sum(${sql.ref(name)})`));

  return [
    db.schema.alterTable("loyalty_organizations").addColumn("open_day", columns.text).compile(),
    table("loyalty_day_counts", ["day"], tableEnd.keyed, {
      day: integer,
      members: integer,
      cards: integer,
      stamps: integer,
      rewards_earned: integer,
      rewards_redeemed: integer,
      installs_apple: integer,
      installs_google: integer,
      installs_other: integer,
    }).compile(),
    sql`insert into loyalty_day_counts
        (organization_id, day, ${sql.join(names.map((name) => sql.ref(name)))}, installs_apple, installs_google)
      select organization_id, day, ${summed}, 0, 0 from (
        select organization_id, created_at / 86400000 as day, 1 as members, 0 as cards, 0 as stamps,
          0 as rewards_earned, 0 as rewards_redeemed, 0 as installs_other
        from loyalty_users
        union all
        select organization_id, created_at / 86400000, 0, 1 - is_preview_pass, 0, 0, 0, 0 from loyalty_wallet_passes
        union all
        select organization_id, updated_at / 86400000, 0, 0, 0, 0, 0, 1 from loyalty_wallet_passes
        where installation_status = 'INSTALLED'
        union all
        select organization_id, created_at / 86400000, 0, 0, case when type = 'added' then delta else 0 end,
          completions, case when type = 'redeemed' then 1 else 0 end, 0
        from loyalty_stamp_entries
      ) counted
      group by organization_id, day`.compile(db),
  ];
}
