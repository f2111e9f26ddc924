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
    // Queries run on clients of a pool that may be the host's, as the transactions may be.
    createDriver: () => new DummyDriver(),
    createIntrospector: (kysely) => new PostgresIntrospector(kysely),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Postgres, as the shared queries need to know it.
 * @param tableEnd stands after the columns of every table of an organization's rows.
 */
export function postgresDialect(tableEnd: RawBuilder<unknown> = sql``): SqlDialect {
  return {
    db,
    // By code point whatever the locale of the database, as the other adapters sort.
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
    // Readers of the view hold a lock on it that this waits for, and later readers wait for this.
    migrationFence: (version) => [
      sql`create or replace view loyalty_version as
        select greatest(max(version), ${sql.lit(version)})::integer as version from loyalty_migrations`.compile(
        db,
      ),
    ],
    plannerHints: [],
  };
}
