import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, sql } from "kysely";
import { migrations } from "../kysely/migrations/migrations.js";
import type { SqlDialect } from "../kysely/sql/dialect.js";
import type { Tables } from "../kysely/sql/tables.js";
import { singlyAdopted } from "./adopted-rows.js";
import { eventsByPlace } from "./event-places.js";
import { usersEnteringByBlock } from "./late-users.js";
import { plannerHints } from "./planner-hints.js";
import { QueryCompiler } from "./query-compiler.js";
import { singleRowInserts } from "./row-inserts.js";
import { wordIndex } from "./word-index.js";

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    // Queries run on the adapter's own connections: better-sqlite3 never waits, and a driver would.
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new QueryCompiler(),
  },
});

/** SQLite, as the shared queries need to know it. */
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
  eventPlaces: eventsByPlace(db),
  // Pages are written whole.
  flips: { roomFor: () => 0 },
  rowInserts: singleRowInserts(db),
  adoptRows: singlyAdopted(db),
  lateUsers: usersEnteringByBlock(db),
  tableNamed: (name) => sql`select 1 from sqlite_master where type = 'table' and name = ${name}`.compile(db),
  search: wordIndex(db),
  migrations,
  version: sql`(select max(version) from loyalty_migrations)`,
  // Nobody else writes meanwhile.
  migrationFence: () => [],
  plannerHints: plannerHints(db),
};
