import { type Kysely, sql } from "kysely";
import type { AdoptRows, Row } from "../kysely/sql/adopted-rows.js";
import { type Prepared, prepare } from "../kysely/sql/prepared.js";
import type { Tables } from "../kysely/sql/tables.js";

/** A statement for each row, compiled once for a table: putting many into one costs more than it saves. */
export function singlyAdopted(db: Kysely<Tables>): AdoptRows {
  const inserts = new Map<string, Prepared<Row, unknown>>();

  const insertInto = (table: string, columns: readonly string[]): Prepared<Row, unknown> => {
    const insert = prepare<Row, unknown>((slot) => {
      const names = sql.join(columns.map((column) => sql.ref(column)));
      const values = sql.join(columns.map((column) => slot(column)));
      const statement = sql`insert into ${sql.table(table)} (${names}) values (${values})`;
      return { compile: () => statement.compile(db) };
    });
    inserts.set(table, insert);
    return insert;
  };

  return function* (session, table, rows) {
    const insert = inserts.get(table) ?? insertInto(table, Object.keys(rows[0] ?? {}));
    yield* session.changeEach(rows.map(insert));
  };
}
