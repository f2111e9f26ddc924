import { type Kysely, sql } from "kysely";
import { mapped } from "../../src/concurrency/step.js";
import { changed } from "../kysely/session/session.js";
import { prepare } from "../kysely/sql/prepared.js";
import type { ColumnOf, ColumnType, InsertsOfRows, RowInserts, RowOf } from "../kysely/sql/row-inserts.js";
import type { Tables } from "../kysely/sql/tables.js";

/** A statement for each row: SQLite runs in the process, so putting many rows into one would cost more than it saves. */
export function singleRowInserts(db: Kysely<Tables>): InsertsOfRows {
  return <Table extends keyof Tables, Column extends ColumnOf<Table>>(
    table: Table,
    columns: Readonly<Record<Column, ColumnType>>,
  ): RowInserts<RowOf<Table, Column>> => {
    // The names that the type has, which "Object.keys" widens.
    const names = Object.keys(columns) as Column[];
    const listed = sql.join(names.map((name) => sql.ref(name)));
    const insert = (onConflict: string) =>
      prepare<RowOf<Table, Column>, unknown>((slot) => {
        const values = sql.join(names.map((name) => slot(name)));
        const statement = sql`insert into ${sql.table(table)} (${listed}) values (${values}) ${sql.raw(onConflict)}`;
        return { compile: () => statement.compile(db) };
      });
    const add = insert("");
    const addMissing = insert("on conflict do nothing");
    return {
      add: (session, rows) => mapped(session.changeEach(rows.map(add)), () => undefined),
      *addUntilTaken(session, rows) {
        for (const [at, row] of rows.entries()) {
          if (!(yield* changed(session, addMissing(row)))) return at;
        }
        return rows.length;
      },
      addMissing: (session, rows) =>
        mapped(session.changeEach(rows.map(addMissing)), (changes) => changes.map((number) => number === 1)),
    };
  };
}
