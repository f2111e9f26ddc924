import { type CompiledQuery, type Kysely, sql } from "kysely";
import type { Tables } from "../kysely/sql/tables.js";

/**
 * Tells SQLite's planner that each of several organizations may have a million rows, as ANALYZE would find in a file in use.
 * Without that, it takes any key that begins with the organization for selective, and reads all rows of the organization; with a
 * hint for one organization, all rows of the table. Run it after every new index: an index without a hint looks better than all
 * that have one.
 */
export function plannerHints(db: Kysely<Tables>): CompiledQuery<unknown>[] {
  return [
    // Makes the table of statistics.
    sql`analyze loyalty_migrations`,
    sql`delete from sqlite_stat1 where tbl like 'loyalty!_%' escape '!'`,
    // Each index has the number of rows, and of those alike in the first column, in the first two, …. None is to be read
    // for all organizations in turn.
    sql`insert into sqlite_stat1 (tbl, idx, stat)
      select tbl.name, iif(idx.origin = 'pk' and tbl.wr, tbl.name, idx.name),
        '9000000 ' || iif(count(*) > 1, '1000000 ', '') || replace(hex(zeroblob(max(count(*) - 2, 0))), '00', '1000 ')
        || iif(idx."unique", '1', '10') || ' noskipscan'
      from pragma_table_list tbl, pragma_index_list(tbl.name) idx, pragma_index_info(idx.name)
      where tbl.schema = 'main' and tbl.type = 'table' and tbl.name like 'loyalty!_%' escape '!'
      group by tbl.name, idx.name`,
    // Reads it.
    sql`analyze sqlite_schema`,
  ].map((statement) => statement.compile(db));
}
