import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from "kysely";
import type { SqlDialect } from "../kysely/dialect.js";
import type { Tables } from "../kysely/tables.js";

/** SQLite, as the shared queries need to know it. */
export const sqliteDialect: SqlDialect = {
  db: new Kysely<Tables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      // Queries run on the adapter's own connections: better-sqlite3 never waits, and a driver would.
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  }),
  columns: { text: "text", integer: "integer", bytes: "blob" },
  tableEnd: { plain: sql`strict`, keyed: sql`strict, without rowid` },
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  isOneOf: (value, list) => sql`${value} in (select value from json_each(${list}))`,
  listParameter: (values) => JSON.stringify(values),
};
