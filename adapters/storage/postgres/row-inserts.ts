import { type CompiledQuery, type Kysely, sql } from "kysely";
import type { Step } from "../../../src/base/concurrency/step.js";
import type { Columns } from "../../../src/storage/record.js";
import type { Session } from "../kysely/session/session.js";
import { isInteger, toSqlName, toSqlTableName } from "../kysely/sql/columns.js";
import type { CreateRowInserts } from "../kysely/sql/row-inserts.js";
import { createEncoder } from "../kysely/sql/rows.js";
import type { Tables } from "../kysely/sql/tables.js";

type Row = Readonly<Record<string, unknown>>;

/**
 * Creates inserters that write all rows in a single statement, passing one array of values per column. Separate statements would
 * each require a round trip to the server.
 */
export function createUnnestedInserts(db: Kysely<Tables>): CreateRowInserts {
  return ({ record, beside }, key = record.key.map(String)) => {
    const columns: Columns = { ...record.columns, ...beside };
    const table = sql.table(toSqlTableName(record));
    const encoders = Object.entries(columns).map(([name, column]) => [name, createEncoder(column)] as const);
    const buildArrayParameter = (name: string) =>
      sql`${null}::${sql.raw(isInteger(columns[name]) ? "bigint[]" : "text[]")}`;
    /** Selects a column so that every driver returns it the same way, even without column type information. */
    const selectColumn = (name: string) => {
      const column = sql.ref(toSqlName(name));
      return isInteger(columns[name])
        ? sql`${column}::double precision as ${sql.ref(name)}`
        : sql`${column} as ${sql.ref(name)}`;
    };

    const names = ["organizationId", ...Object.keys(columns)];
    const { sql: insert } =
      sql`insert into ${table} (${listColumns(names)}) select * from unnest(${sql.join(names.map(buildArrayParameter))})`.compile(
        db,
      );
    const { sql: onConflict } =
      sql` on conflict do nothing returning ${sql.join(key.map(selectColumn))}`.compile(db);
    const keyColumns = ["organizationId", ...key];
    const { sql: remove } =
      sql`delete from ${table} where (${listColumns(keyColumns)}) in (select * from unnest(${sql.join(keyColumns.map(buildArrayParameter))}))`.compile(
        db,
      );

    const buildQuery = (text: string, parameters: readonly unknown[]): CompiledQuery<Row> => ({
      ...sql<Row>``.compile(db),
      sql: text,
      parameters,
    });
    const buildInsert = (text: string, organizationId: string, rows: readonly Row[]) =>
      buildQuery(text, [
        rows.map(() => organizationId),
        ...encoders.map(([name, encode]) =>
          rows.map((row) => (encode === null ? row[name] : encode(row[name]))),
        ),
      ]);
    const buildKey = (row: Row) => JSON.stringify(key.map((name) => row[name]));

    const addMissing = function* (
      session: Session,
      organizationId: string,
      rows: readonly Row[],
    ): Step<readonly boolean[]> {
      if (rows.length === 0) return [];
      const addedKeys = new Set(
        (yield* session.all(buildInsert(insert + onConflict, organizationId, rows))).map(buildKey),
      );
      // If two rows have the same key, only the first counts as added.
      return rows.map((row) => addedKeys.delete(buildKey(row)));
    };

    const add = function* (session: Session, organizationId: string, rows: readonly Row[]): Step<void> {
      if (rows.length > 0) yield* session.change(buildInsert(insert, organizationId, rows));
    };

    return {
      add,
      addDeferred: add,
      *addUntilConflict(session, organizationId, rows: readonly Row[]) {
        const addedRows = yield* addMissing(session, organizationId, rows);
        const count = addedRows.indexOf(false);
        if (count === -1) return rows.length;
        const surplusRows = rows.filter((_, index) => index > count && addedRows[index]);
        const keys = key.map((name) => surplusRows.map((row) => row[name]));
        if (surplusRows.length > 0) {
          yield* session.change(buildQuery(remove, [surplusRows.map(() => organizationId), ...keys]));
        }
        return count;
      },
      addIfMissing: addMissing,
    };
  };
}

function listColumns(names: readonly string[]) {
  return sql.join(names.map((name) => sql.ref(toSqlName(name))));
}
