import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import { migrations } from "../kysely/migrations/migrations.js";
import type { SqlDialect } from "../kysely/sql/dialect.js";
import type { Tables } from "../kysely/sql/tables.js";
import { roomFor } from "./chunk-deltas.js";
import { eventsByKey } from "./event-locator.js";
import { insertRawRowsTogether } from "./raw-row-inserts.js";
import { unnestedInserts } from "./row-inserts.js";
import { trigramIndex } from "./trigram-index.js";

const db = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    // Queries run on clients from a pool, and both the pool and the transactions may belong to the host.
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Creates the Postgres dialect for the queries that all SQL adapters share.
 * @param tableEnd the SQL to append to the column list of each table that holds organizations' rows.
 */
export function postgresDialect(tableEnd: RawBuilder<unknown> = sql``): SqlDialect {
  return {
    db,
    // Sorts by code point in any database locale, like the other adapters.
    columns: { text: sql`text collate "C"`, integer: "bigint", bytes: "bytea" },
    tableEnd: { plain: tableEnd, keyed: tableEnd },
    locksOrganizations: true,
    contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
    containsAny: (text, list) =>
      sql`exists (select 1 from unnest(${list}::text[]) as part where strpos(${text}, part) > 0)`,
    isOneOf: (value, list) => sql`${value} = any(${list})`,
    listParameter: (values) => values,
    jsonArray: (value) => sql`json_agg(${value})::text`,
    eventPlaces: eventsByKey,
    flips: { maxDeltasFor: roomFor },
    rowInserts: unnestedInserts(db),
    adoptRows: insertRawRowsTogether(db),
    lateUsers: null,
    tableNamed: (name) => sql`select 1 where to_regclass(${name}) is not null`.compile(db),
    search: trigramIndex(db, tableEnd),
    migrations,
    version: sql`(select version from loyalty_version)`,
    // Transactions that have read the view hold a lock on it. This statement waits for them, and later readers wait for this
    // statement.
    migrationFence: (version) => [
      sql`create or replace view loyalty_version as
        select greatest(max(version), ${sql.lit(version)})::integer as version from loyalty_migrations`.compile(
        db,
      ),
    ],
    plannerHints: [],
  };
}
