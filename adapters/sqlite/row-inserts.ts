import { type Kysely, sql } from "kysely";
import { mapped } from "../../src/concurrency/step.js";
import type { Columns } from "../../src/storage/record.js";
import { changed } from "../kysely/session/session.js";
import { sqlName, sqlTableName } from "../kysely/sql/columns.js";
import type { InsertsOfRows } from "../kysely/sql/row-inserts.js";
import { rowStatement } from "../kysely/sql/rows.js";
import type { Tables } from "../kysely/sql/tables.js";

/** A statement for each row: SQLite runs in the process, so putting many rows into one would cost more than it saves. */
export function singleRowInserts(db: Kysely<Tables>): InsertsOfRows {
  return ({ record, beside }) => {
    const columns: Columns = { ...record.columns, ...beside };
    const names = ["organizationId", ...Object.keys(columns)];
    const listed = sql.join(names.map((name) => sql.ref(sqlName(name))));
    const insert = (onConflict: string) =>
      rowStatement(columns, (slot) => {
        const values = sql.join(names.map((name) => slot(name)));
        const statement = sql`insert into ${sql.table(sqlTableName(record))} (${listed}) values (${values}) ${sql.raw(onConflict)}`;
        return { compile: () => statement.compile(db) };
      });
    const add = insert("");
    const addMissing = insert("on conflict do nothing");
    return {
      add: (session, organizationId, rows) =>
        mapped(session.changeEach(rows.map((row) => add(organizationId, row))), () => undefined),
      *addUntilTaken(session, organizationId, rows) {
        for (const [at, row] of rows.entries()) {
          if (!(yield* changed(session, addMissing(organizationId, row)))) return at;
        }
        return rows.length;
      },
      addMissing: (session, organizationId, rows) =>
        mapped(session.changeEach(rows.map((row) => addMissing(organizationId, row))), (changes) =>
          changes.map((number) => number === 1),
        ),
    };
  };
}
