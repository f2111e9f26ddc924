import type { Compilable, CompiledQuery } from "kysely";
import { mapStep, type Step } from "../../../../src/base/concurrency/step.js";
import type { Column, Columns, ValuesOf } from "../../../../src/storage/record.js";
import { compileTemplate, findFirst, type ReadSession, type Slot } from "../session/session.js";
import { type SelectedColumn, type SqlRow, toSelectedColumn, toSqlName, toSqlTableName } from "./columns.js";
import type { SqlDialect } from "./dialect.js";

import type { AnyTables, TableDefinition } from "./tables.js";

/** The basic statements for a table. Each statement is compiled on first use and then reused. */
export interface TableStatements<Own extends Columns, Key extends keyof Own, Beside extends Columns> {
  /** The columns that are part of the storage port, for use in a `select`. */
  readonly columns: readonly SelectedColumn<keyof Own>[];
  /** Converts a row selected with {@link columns} to a storage port row. */
  readonly toRow: (values: SqlRow<Own>) => ValuesOf<Own>;
  insert(organizationId: string, row: ValuesOf<Own & Beside>): CompiledQuery<unknown>;
  /**
   * Creates a function that builds insert statements. An insert does nothing if another row in the organization has the same values
   * in the given columns. If no columns are given, it does nothing if any of the row's unique keys is already taken.
   */
  prepareInsertUnless(...uniqueColumns: (keyof Own & string)[]): RowStatement<ValuesOf<Own & Beside>>;
  /**
   * Builds a statement that updates the row with the same key. The statement sets all columns except key columns and immutable
   * columns.
   */
  update(organizationId: string, row: ValuesOf<Own & Beside>): CompiledQuery<unknown>;
  /** Creates a function that builds statements like {@link update}, except that they change only the given columns. */
  prepareUpdateOf(...names: readonly (keyof Own & string)[]): RowStatement<ValuesOf<Own>>;
  /**
   * Builds an upsert statement. It inserts the row or, if its key already exists, updates the existing row as {@link update} does.
   */
  put(organizationId: string, row: ValuesOf<Own & Beside>): CompiledQuery<unknown>;
  remove(organizationId: string, key: Pick<ValuesOf<Own>, Key>): CompiledQuery<unknown>;
  find(
    session: ReadSession,
    organizationId: string,
    key: Pick<ValuesOf<Own>, Key>,
  ): Step<ValuesOf<Own> | null>;
  /**
   * Locks a row until the transaction ends, and returns it. If another transaction holds the lock, waits for it to end if
   * `isWaiting` is `true`, or returns `null` otherwise. If transactions run one at a time, no other transaction can hold the lock.
   */
  lock(
    session: ReadSession,
    organizationId: string,
    key: Pick<ValuesOf<Own>, Key>,
    isWaiting: boolean,
  ): Step<ValuesOf<Own> | null>;
  /** Returns all of an organization's rows, ordered by `createdAt` (oldest first), then by key. */
  list(session: ReadSession, organizationId: string): Step<ValuesOf<Own>[]>;
}

type RowStatement<Row> = (organizationId: string, row: Row) => CompiledQuery<unknown>;

type AnyRow = Readonly<Record<string, unknown>>;
type AnySlot = Slot<Record<string, unknown>>;

export function createRowStatements<Own extends Columns, Key extends keyof Own, Beside extends Columns>(
  dialect: SqlDialect,
  table: TableDefinition<Own, Key, Beside>,
): TableStatements<Own, Key, Beside>;
export function createRowStatements(
  dialect: SqlDialect,
  { record, beside }: TableDefinition<Columns, string, Columns>,
): TableStatements<Columns, string, Columns> {
  const { key } = record;
  const name = toSqlTableName(record);
  const allColumns: Columns = { ...record.columns, ...beside };
  const names = Object.keys(allColumns);
  const mutableColumns = names.filter((each) => !key.includes(each) && !allColumns[each]?.traits.isFixed);
  const columns = Object.keys(record.columns).map(toSelectedColumn);
  const decodeRow = createDecoder(record.columns);
  const db = dialect.db.withTables<AnyTables>();

  const createValues = (slot: AnySlot, columnNames: readonly string[]) =>
    Object.fromEntries(columnNames.map((each) => [toSqlName(each), slot(each)]));
  const prepareStatement = (build: (slot: AnySlot) => Compilable<AnyRow>) =>
    memoize(() => prepareRowStatement(allColumns, build));

  const buildInsert = (slot: AnySlot) =>
    db.insertInto(name).values({ organization_id: slot("organizationId"), ...createValues(slot, names) });
  const insert = prepareStatement(buildInsert);
  const buildUpdate = (slot: AnySlot, columnNames: readonly string[]) =>
    key.reduce(
      (query, each) => query.where(toSqlName(each), "=", slot(each)),
      db
        .updateTable(name)
        .set(createValues(slot, columnNames))
        .where("organization_id", "=", slot("organizationId")),
    );
  const update = prepareStatement((slot) => buildUpdate(slot, mutableColumns));
  const putRow = prepareStatement((slot) =>
    buildInsert(slot).onConflict((conflict) =>
      conflict
        .columns(["organization_id", ...key.map((each) => toSqlName(each))])
        .doUpdateSet(createValues(slot, mutableColumns)),
    ),
  );
  const remove = prepareStatement((slot) =>
    key.reduce(
      (query, each) => query.where(toSqlName(each), "=", slot(each)),
      db.deleteFrom(name).where("organization_id", "=", slot("organizationId")),
    ),
  );
  const selectByKey = (slot: AnySlot) =>
    key.reduce(
      (query, each) => query.where(toSqlName(each), "=", slot(each)),
      db.selectFrom(name).select(columns).where("organization_id", "=", slot("organizationId")),
    );
  const findByKey = prepareStatement(selectByKey);
  const lockByKey = prepareStatement((slot) => selectByKey(slot).forUpdate());
  const lockIfFree = prepareStatement((slot) => selectByKey(slot).forUpdate().skipLocked());
  const listOldestFirst = prepareStatement((slot) =>
    ["createdAt", ...key].reduce(
      (query, each) => query.orderBy(`${name}.${toSqlName(each)}`),
      db.selectFrom(name).select(columns).where("organization_id", "=", slot("organizationId")),
    ),
  );

  const findRow = (session: ReadSession, query: CompiledQuery<AnyRow>) => {
    const rowStep = findFirst(session, query);
    return decodeRow === null ? rowStep : mapStep(rowStep, (row) => row && decodeRow(row));
  };

  return {
    columns,
    toRow: decodeRow ?? ((values) => values),
    insert: (organizationId, row) => insert()(organizationId, row),
    prepareInsertUnless: (...conflictColumns) =>
      prepareRowStatement(allColumns, (slot) =>
        buildInsert(slot).onConflict((conflict) =>
          conflictColumns.length === 0
            ? conflict.doNothing()
            : conflict
                .columns(["organization_id", ...conflictColumns.map((each) => toSqlName(each))])
                .doNothing(),
        ),
      ),
    update: (organizationId, row) => update()(organizationId, row),
    prepareUpdateOf: (...columnNames) =>
      prepareRowStatement(allColumns, (slot) => buildUpdate(slot, columnNames)),
    put: (organizationId, row) => putRow()(organizationId, row),
    remove: (organizationId, keyOfRow) => remove()(organizationId, keyOfRow),
    find: (session, organizationId, keyOfRow) => findRow(session, findByKey()(organizationId, keyOfRow)),
    lock(session, organizationId, keyOfRow, isWaiting) {
      const locking = isWaiting ? lockByKey : lockIfFree;
      const query = dialect.locksOrganizations ? locking : findByKey;
      return findRow(session, query()(organizationId, keyOfRow));
    },
    list(session, organizationId) {
      const rowsStep = session.all(listOldestFirst()(organizationId, {}));
      return decodeRow === null ? rowsStep : mapStep(rowsStep, (rows) => rows.map(decodeRow));
    },
  };
}

/**
 * Compiles a statement once and returns a function that, given a row, returns the compiled statement with the row's encoded values
 * as its parameters.
 */
export function prepareRowStatement(columns: Columns, build: (slot: AnySlot) => Compilable<AnyRow>) {
  const { compiled, order } = compileTemplate<Record<string, unknown>, AnyRow>(build);
  const { query, queryId, sql } = compiled;
  const slots = order.map(({ name = "" }) => ({ name, encode: createEncoder(columns[name]) }));
  return (organizationId: string, row: AnyRow): CompiledQuery<AnyRow> => ({
    query,
    queryId,
    sql,
    parameters: slots.map(({ name, encode }) => {
      if (name === "organizationId") return organizationId;
      return encode === null ? row[name] : encode(row[name]);
    }),
  });
}

/** Returns a function that encodes a column's values for the database, or `null` if the values need no encoding. */
export function createEncoder(column: Column | undefined): ((value: unknown) => unknown) | null {
  if (column?.kind === "boolean") return (value) => (value === true ? 1 : 0);
  return column?.kind === "list" ? (value) => value && JSON.stringify(value) : null;
}

/** Returns a function that decodes rows to the port's values, or `null` if the rows need no decoding. */
function createDecoder(columns: Columns): ((row: AnyRow) => AnyRow) | null {
  const lists = Object.keys(columns).filter((name) => columns[name]?.kind === "list");
  const booleans = Object.keys(columns).filter((name) => columns[name]?.kind === "boolean");
  if (lists.length + booleans.length === 0) return null;
  return (row) => {
    const decoded: Record<string, unknown> = { ...row };
    for (const name of lists) decoded[name] = typeof row[name] === "string" ? parseList(row[name]) : null;
    for (const name of booleans) decoded[name] = row[name] === 1;
    return decoded;
  };
}

function memoize<T>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

/** Parses a column that stores its items as a JSON array. */
function parseList(json: string): readonly unknown[] {
  const items: unknown = JSON.parse(json);
  if (!Array.isArray(items)) throw new Error("a list column doesn't contain a list");
  return items;
}
