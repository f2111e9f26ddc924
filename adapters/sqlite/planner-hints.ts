import { type CompiledQuery, type Kysely, sql } from "kysely";
import type { Tables } from "../kysely/sql/tables.js";

/**
 * Returns statements that make SQLite's planner assume several organizations with a million rows each, as ANALYZE would find in a
 * file that is in use. Without these hints, the planner treats any key that starts with the organization as selective and reads all
 * of the organization's rows. With hints for a single organization, it would read the whole table. Run the statements after
 * creating an index, because the planner would otherwise prefer the new index, which has no hints, to all indexes that have them.
 */
export function plannerHints(db: Kysely<Tables>): CompiledQuery<unknown>[] {
  return [
    // Creates the statistics table.
    sql`analyze loyalty_migrations`,
    sql`delete from sqlite_stat1 where tbl like 'loyalty!_%' escape '!'`,
    // For each index, lists the total number of rows, then the number of rows with the same first column, the same first two
    // columns, and so on. `noskipscan` keeps the planner from using an index to loop over all organizations.
    sql`insert into sqlite_stat1 (tbl, idx, stat)
      select tbl.name, iif(idx.origin = 'pk' and tbl.wr, tbl.name, idx.name),
        '9000000 ' || iif(count(*) > 1, '1000000 ', '') || replace(hex(zeroblob(max(count(*) - 2, 0))), '00', '1000 ')
        || iif(idx."unique", '1', '10') || ' noskipscan'
      from pragma_table_list tbl, pragma_index_list(tbl.name) idx, pragma_index_info(idx.name)
      where tbl.schema = 'main' and tbl.type = 'table' and tbl.name like 'loyalty!_%' escape '!'
      group by tbl.name, idx.name`,
    // Loads the statistics.
    sql`analyze sqlite_schema`,
  ].map((statement) => statement.compile(db));
}
