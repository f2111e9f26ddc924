import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, sql } from "kysely";
import { mapStep, type Step, succeedStep } from "../../src/concurrency/step.js";
import type { Columns } from "../../src/storage/record.js";
import { migrations } from "../kysely/migrations/migrations.js";
import { changesRow, type Session } from "../kysely/session/session.js";
import { sqlName, sqlTableName } from "../kysely/sql/columns.js";
import type { SqlDialect } from "../kysely/sql/dialect.js";
import type { InsertsOfRows } from "../kysely/sql/row-inserts.js";
import { rowStatement } from "../kysely/sql/rows.js";
import { type Tables, tables } from "../kysely/sql/tables.js";
import { eventsByRowNumber, rowNumberOf } from "./event-locator.js";
import { organizationNumbers } from "./organization-numbers.js";
import { plannerHints } from "./planner-hints.js";
import { QueryCompiler } from "./query-compiler.js";
import { insertRawRowsOneByOne } from "./raw-row-inserts.js";
import { includingUnindexed, indexUsersByBlock } from "./unindexed-users.js";
import { wordIndex } from "./word-index.js";

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

/** SQLite dialect for the queries that the SQL adapters share. */
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
  eventPlaces: eventsByRowNumber(db),
  // Chunks are always written whole, without deltas.
  flips: { maxDeltasFor: () => 0 },
  rowInserts: singleRowInserts(db),
  adoptRows: insertRawRowsOneByOne(db),
  lateUsers: indexUsersByBlock(db),
  tableNamed: (name) => sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.compile(db),
  search: wordIndex(db),
  migrations,
  version: sql`(select max(version) from loyalty_migrations)`,
  // No other connection can write during a migration.
  migrationFence: () => [],
  plannerHints: plannerHints(db),
};

type Row = Readonly<Record<string, unknown>>;

/**
 * Inserts each row with its own statement. SQLite runs in the process, so combining rows into one statement would cost more than it
 * saves.
 */
function singleRowInserts(db: Kysely<Tables>): InsertsOfRows {
  const numbers = organizationNumbers(db);
  return ({ record, beside }) => {
    const columns: Columns = { ...record.columns, ...beside };
    const names = ["organizationId", ...Object.keys(columns)];
    const isPlaced = record.name === tables.events.record.name;
    const isOfUsers = record.name === tables.users.record.name;
    const own = [...(isPlaced ? ["place"] : []), ...(isOfUsers ? ["late"] : [])];
    const listed = sql.join([...names, ...own].map((name) => sql.ref(sqlName(name))));
    const insert = (onConflict: string) =>
      rowStatement(columns, (slot) => {
        const place = isPlaced
          ? [rowNumberOf(sql`cast(${slot("number")} as integer)`, slot("position"))]
          : [];
        const late = isOfUsers ? [slot("late")] : [];
        const values = sql.join([...names.map((name) => slot(name)), ...place, ...late]);
        const statement = sql`insert into ${sql.table(sqlTableName(record))} (${listed}) values (${values}) ${sql.raw(onConflict)}`;
        return { compile: () => statement.compile(db) };
      });
    const add = insert("");
    const addMissing = insert("on conflict do nothing");
    /** Adds the columns that only SQLite has to each row: its organization's number, or `late`. */
    const completed = (
      session: Session,
      organizationId: string,
      rows: readonly Row[],
    ): Step<readonly Row[]> =>
      isPlaced
        ? mapStep(numbers.getOrCreate(session, organizationId), (number) =>
            rows.map((row) => ({ number, ...row })),
          )
        : succeedStep(isOfUsers ? includingUnindexed(rows) : rows);
    return {
      *add(session, organizationId, rows) {
        const inserted = yield* completed(session, organizationId, rows);
        yield* session.changeEach(inserted.map((row) => add(organizationId, row)));
      },
      *addDeferred(session, organizationId, rows) {
        const inserted = yield* completed(session, organizationId, rows);
        yield* session.changeDeferred(inserted.map((row) => add(organizationId, row)));
      },
      *addUntilConflict(session, organizationId, rows) {
        for (const [at, row] of (yield* completed(session, organizationId, rows)).entries()) {
          if (!(yield* changesRow(session, addMissing(organizationId, row)))) return at;
        }
        return rows.length;
      },
      *addIfMissing(session, organizationId, rows) {
        const inserted = yield* completed(session, organizationId, rows);
        const changes = yield* session.changeEach(inserted.map((row) => addMissing(organizationId, row)));
        return changes.map((number) => number === 1);
      },
    };
  };
}
