import { type CompiledQuery, type Kysely, sql } from "kysely";
import type { Step } from "../../src/concurrency/step.js";
import type { Session } from "../kysely/session/session.js";
import type { ColumnOf, ColumnType, InsertsOfRows, RowInserts, RowOf } from "../kysely/sql/row-inserts.js";
import type { Tables } from "../kysely/sql/tables.js";

const listOf = { text: "text[]", integer: "bigint[]" } as const;

/** One statement for all rows, with a list of values for each column: a statement takes a way to the server and back. */
export function unnestedInserts(db: Kysely<Tables>): InsertsOfRows {
  return <Table extends keyof Tables, Column extends ColumnOf<Table>>(
    table: Table,
    columns: Readonly<Record<Column, ColumnType>>,
    key: readonly NoInfer<Column>[],
  ): RowInserts<RowOf<Table, Column>> => {
    type Row = RowOf<Table, Column>;
    // The names that the type has, which "Object.keys" widens.
    const names = Object.keys(columns) as Column[];
    const lists = sql.join(names.map((name) => sql`${null}::${sql.raw(listOf[columns[name]])}`));
    const { sql: insert } =
      sql`insert into ${sql.table(table)} (${listed(names)}) select * from unnest(${lists})`.compile(db);
    const added = sql.join(key.map((name) => readable(name, columns[name])));
    const { sql: onConflict } = sql` on conflict do nothing returning ${added}`.compile(db);

    const keys = sql.join(key.map((name) => sql`${null}::${sql.raw(listOf[columns[name]])}`));
    const { sql: remove } =
      sql`delete from ${sql.table(table)} where (${listed(key)}) in (select * from unnest(${keys}))`.compile(
        db,
      );

    const of = (text: string, parameters: readonly Column[], rows: readonly Row[]): CompiledQuery<Row> => ({
      ...sql<Row>``.compile(db),
      sql: text,
      parameters: parameters.map((name) => rows.map((row) => row[name])),
    });
    const keyOf = (row: Row) => JSON.stringify(key.map((name) => row[name]));

    const addMissing = function* (session: Session, rows: readonly Row[]): Step<readonly boolean[]> {
      if (rows.length === 0) return [];
      const added = new Set((yield* session.all(of(insert + onConflict, names, rows))).map(keyOf));
      // Of two with one key it was the first.
      return rows.map((row) => added.delete(keyOf(row)));
    };

    return {
      *add(session, rows) {
        if (rows.length > 0) yield* session.change(of(insert, names, rows));
      },
      *addUntilTaken(session, rows) {
        const added = yield* addMissing(session, rows);
        const count = added.indexOf(false);
        if (count === -1) return rows.length;
        const tooMany = rows.filter((_, at) => at > count && added[at]);
        if (tooMany.length > 0) yield* session.change(of(remove, key, tooMany));
        return count;
      },
      addMissing,
    };
  };
}

/** A value as every driver gives it, where nothing but the SQL tells its type. */
function readable(name: string, type: ColumnType) {
  const column = sql.ref(name);
  return type === "integer" ? sql`${column}::double precision as ${column}` : column;
}

function listed(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(name)));
}
