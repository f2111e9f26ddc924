import { type Kysely, sql } from "kysely";
import type { Step } from "../../../src/base/concurrency/step.js";
import { type Prepared, prepare, type Session } from "../kysely/session/session.js";
import { sqlTableName } from "../kysely/sql/columns.js";

import type { InsertRawRows, Row } from "../kysely/sql/raw-row-inserts.js";
import { type Tables, tables } from "../kysely/sql/tables.js";
import { rowNumberOf } from "./event-locator.js";
import { organizationNumbers } from "./organization-numbers.js";

const PLACED = sqlTableName(tables.events.record);

/**
 * Creates an inserter that runs one statement per row. The statement is compiled once per table. Combining rows into one statement
 * would cost more than it saves.
 */
export function insertRawRowsOneByOne(db: Kysely<Tables>): InsertRawRows {
  const numbers = organizationNumbers(db);
  const inserts = new Map<string, Prepared<Row, unknown>>();

  const insertInto = (table: string, columns: readonly string[]): Prepared<Row, unknown> => {
    const insert = prepare<Row, unknown>((slot) => {
      const place =
        table === PLACED ? [rowNumberOf(sql`cast(${slot("number")} as integer)`, slot("position"))] : [];
      const names = sql.join([...columns, ...place.map(() => "place")].map((column) => sql.ref(column)));
      const values = sql.join([...columns.map((column) => slot(column)), ...place]);
      const statement = sql`insert into ${sql.table(table)} (${names}) values (${values})`;
      return { compile: () => statement.compile(db) };
    });
    inserts.set(table, insert);
    return insert;
  };

  /** Adds its organization's number to each row. */
  function* addNumbers(session: Session, rows: readonly Row[]): Step<readonly Row[]> {
    const numberById = new Map<unknown, number>();
    for (const { organization_id: id } of rows) {
      if (!numberById.has(id)) numberById.set(id, yield* numbers.getOrCreate(session, String(id)));
    }
    return rows.map((row) => ({ ...row, number: numberById.get(row.organization_id) }));
  }

  return function* (session, table, rows) {
    const insert = inserts.get(table) ?? insertInto(table, Object.keys(rows[0] ?? {}));
    const adopted = table === PLACED ? yield* addNumbers(session, rows) : rows;
    yield* session.changeEach(adopted.map(insert));
  };
}
