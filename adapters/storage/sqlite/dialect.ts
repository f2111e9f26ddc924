import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  type LimitNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { mapStep, type Step, succeedStep } from "../../../src/base/concurrency/step.js";
import type { Columns } from "../../../src/storage/record.js";
import { findFirstUnindexed, getBlockRange } from "../kysely/contacts/search-blocks.js";
import { migrations } from "../kysely/migrations/migrations.js";
import { changeRow, type Prepared, prepare, type Session, type Slot } from "../kysely/session/session.js";
import { toSqlName, toSqlTableName } from "../kysely/sql/columns.js";
import type { SqlDialect } from "../kysely/sql/dialect.js";
import type { CreateRowInserts, InsertRawRows } from "../kysely/sql/row-inserts.js";
import { prepareRowStatement } from "../kysely/sql/rows.js";
import type { UnindexedUsers } from "../kysely/sql/search-index.js";
import { type Tables, tables } from "../kysely/sql/tables.js";
import { buildRowNumber, createEventLocator } from "./event-locator.js";
import { createOrganizationNumbers } from "./organization-numbers.js";
import { createWordIndex } from "./word-index.js";

type Bounds = ReturnType<typeof getBlockRange> & { readonly organizationId: string };

/**
 * Creates the queries for users who have been inserted but aren't in the search index yet. Their rows have the value 1 in the
 * column `late`, which is otherwise `null` and takes up no space.
 */
function indexUsersByBlock(db: Kysely<Tables>): UnindexedUsers {
  const isUnindexed = sql<boolean>`late is not null`;
  const isIndexed = sql<boolean>`late is null`;
  const isInBlock = (slot: Slot<Bounds>) =>
    sql`organization_id = ${slot("organizationId")} and ordinal >= ${slot("from")} and ordinal < ${slot("to")}
      and ${isUnindexed}`;
  const markIndexed = prepare((slot: Slot<Bounds>) => ({
    compile: () => sql`update loyalty_users set late = null where ${isInBlock(slot)}`.compile(db),
  }));
  const selectLate = prepare((slot: Slot<Bounds>) => ({
    compile: () =>
      sql<{ ordinal: number }>`select ordinal from loyalty_users where ${isInBlock(slot)}`.compile(db),
  }));
  return {
    isUnindexed,
    isIndexed,
    indexBlock: (organizationId, block) => markIndexed({ organizationId, ...getBlockRange(block) }),
    listInBlock: (organizationId, block) => selectLate({ organizationId, ...getBlockRange(block) }),
  };
}

/**
 * Adds the `late` column to user rows that are about to be inserted. The column marks users who won't be indexed in the same
 * transaction because the batch doesn't fill their block.
 * @param rows the rows, sorted by ordinal.
 */
function addLateColumn(rows: readonly Readonly<Record<string, unknown>>[]) {
  const first = findFirstUnindexed(Number(rows.at(-1)?.ordinal) + 1);
  return rows.map((row) => ({ late: Number(row.ordinal) < first ? null : 1, ...row }));
}

/** Compiles queries to SQLite's SQL. */
class QueryCompiler extends SqliteQueryCompiler {
  /**
   * Adds a sign to each bound limit so that SQLite can't see the limit's value when it plans the query. For a plain `limit ?`,
   * SQLite would use the value in the plan and plan the query again for each value, and planning takes many times as long as a
   * lookup.
   */
  protected override visitLimit(node: LimitNode): void {
    this.append("limit +");
    this.visitNode(node.limit);
  }
}

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    // Queries run on the adapter's own connections, because better-sqlite3 is synchronous and a Kysely driver would be
    // asynchronous.
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new QueryCompiler(),
  },
});

/** The SQLite dialect for the queries that the SQL adapters share. */
export const sqliteDialect: SqlDialect = {
  db,
  columns: { text: "text", integer: "integer", bytes: "blob" },
  tableEnd: { plain: sql`strict`, keyed: sql`strict, without rowid` },
  locksOrganizations: false,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  containsAny: (text, list) => sql`exists (select 1 from json_each(${list}) where instr(${text}, value) > 0)`,
  isOneOf: (value, list) => sql`${value} in (select value from json_each(${list}))`,
  listParameter: (values) => JSON.stringify(values),
  jsonArray: (value) => sql`json_group_array(${value})`,
  eventLocator: createEventLocator(db),
  // Chunks are always written whole, without deltas.
  chunkDeltas: { maxDeltasFor: () => 0 },
  createRowInserts: createSingleRowInserts(db),
  insertRawRows: createRowInserter(db),
  unindexedUsers: indexUsersByBlock(db),
  selectTable: (name) => sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.compile(db),
  search: createWordIndex(db),
  migrations,
  version: sql`(select max(version) from loyalty_migrations)`,
  // No other connection can write during a migration.
  migrationFence: () => [],
  plannerHints: buildPlannerHints(db),
};

type Row = Readonly<Record<string, unknown>>;

/**
 * Inserts each row with its own statement. SQLite runs in the process, so combining rows into one statement would cost more than it
 * saves.
 */
function createSingleRowInserts(db: Kysely<Tables>): CreateRowInserts {
  const numbers = createOrganizationNumbers(db);
  return ({ record, beside }) => {
    const columns: Columns = { ...record.columns, ...beside };
    const names = ["organizationId", ...Object.keys(columns)];
    const isEventsTable = record.name === tables.events.record.name;
    const isUsersTable = record.name === tables.users.record.name;
    const extraColumns = [...(isEventsTable ? ["place"] : []), ...(isUsersTable ? ["late"] : [])];
    const columnList = sql.join([...names, ...extraColumns].map((name) => sql.ref(toSqlName(name))));
    const insert = (onConflict: string) =>
      prepareRowStatement(columns, (slot) => {
        const place = isEventsTable
          ? [buildRowNumber(sql`cast(${slot("number")} as integer)`, slot("position"))]
          : [];
        const late = isUsersTable ? [slot("late")] : [];
        const values = sql.join([...names.map((name) => slot(name)), ...place, ...late]);
        const statement = sql`insert into ${sql.table(toSqlTableName(record))} (${columnList}) values (${values}) ${sql.raw(onConflict)}`;
        return { compile: () => statement.compile(db) };
      });
    const add = insert("");
    const addMissing = insert("on conflict do nothing");
    /** Adds the columns that only SQLite has to each row: its organization's number, or `late`. */
    const addSqliteColumns = (
      session: Session,
      organizationId: string,
      rows: readonly Row[],
    ): Step<readonly Row[]> =>
      isEventsTable
        ? mapStep(numbers.getOrCreate(session, organizationId), (number) =>
            rows.map((row) => ({ number, ...row })),
          )
        : succeedStep(isUsersTable ? addLateColumn(rows) : rows);
    return {
      *add(session, organizationId, rows) {
        const inserted = yield* addSqliteColumns(session, organizationId, rows);
        yield* session.changeEach(inserted.map((row) => add(organizationId, row)));
      },
      *addDeferred(session, organizationId, rows) {
        const inserted = yield* addSqliteColumns(session, organizationId, rows);
        yield* session.changeDeferred(inserted.map((row) => add(organizationId, row)));
      },
      *addUntilConflict(session, organizationId, rows) {
        for (const [index, row] of (yield* addSqliteColumns(session, organizationId, rows)).entries()) {
          if (!(yield* changeRow(session, addMissing(organizationId, row)))) return index;
        }
        return rows.length;
      },
      *addIfMissing(session, organizationId, rows) {
        const inserted = yield* addSqliteColumns(session, organizationId, rows);
        const changes = yield* session.changeEach(inserted.map((row) => addMissing(organizationId, row)));
        return changes.map((number) => number === 1);
      },
    };
  };
}

/**
 * Returns statements that make SQLite's planner assume several organizations with a million rows each, as ANALYZE would find in a
 * file that is in use. Without these hints, the planner treats any key that starts with the organization as selective and reads all
 * of the organization's rows. With hints for a single organization, it would read the whole table. Run the statements after
 * creating an index, because the planner would otherwise prefer the new index, which has no hints, to all indexes that have them.
 */
function buildPlannerHints(db: Kysely<Tables>): CompiledQuery<unknown>[] {
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

const EVENTS_TABLE = toSqlTableName(tables.events.record);

/**
 * Creates an inserter that runs one statement per row. The statement is compiled once per table. Combining rows into one statement
 * would cost more than it saves.
 */
function createRowInserter(db: Kysely<Tables>): InsertRawRows {
  const numbers = createOrganizationNumbers(db);
  const inserts = new Map<string, Prepared<Row, unknown>>();

  const prepareInsert = (table: string, columns: readonly string[]): Prepared<Row, unknown> => {
    const insert = prepare<Row, unknown>((slot) => {
      const place =
        table === EVENTS_TABLE
          ? [buildRowNumber(sql`cast(${slot("number")} as integer)`, slot("position"))]
          : [];
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
    const insert = inserts.get(table) ?? prepareInsert(table, Object.keys(rows[0] ?? {}));
    const preparedRows = table === EVENTS_TABLE ? yield* addNumbers(session, rows) : rows;
    yield* session.changeEach(preparedRows.map(insert));
  };
}
