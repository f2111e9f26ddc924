import {
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import { migrations } from "../kysely/migrations/migrations.js";
import { computeMaxBytes } from "../kysely/segments/chunk-encoding.js";
import type { SqlDialect } from "../kysely/sql/dialect.js";
import type { EventLocator } from "../kysely/sql/event-locator.js";
import type { InsertRawRows, Row } from "../kysely/sql/row-inserts.js";
import type { Tables } from "../kysely/sql/tables.js";
import { createUnnestedInserts } from "./row-inserts.js";
import { createTrigramIndex } from "./trigram-index.js";

const EVENTS_TABLE = "loyalty_events";

/** Finds events by their primary key, which consists of the organization and the position. */
const eventsByKey: EventLocator = {
  orderColumn: "position",
  at: (organizationId, position, events = EVENTS_TABLE) =>
    sql`${matchOrganization(organizationId, events)} and ${refPosition(events)} = ${position}`,
  among: (organizationId, positions) =>
    sql`${matchOrganization(organizationId, EVENTS_TABLE)} and ${refPosition(EVENTS_TABLE)} = any(${positions})`,
  between: (organizationId, after, to, events = EVENTS_TABLE) => {
    const isAfter = sql`${matchOrganization(organizationId, events)} and ${refPosition(events)} > ${after}`;
    return to === null ? sql`${isAfter}` : sql`${isAfter} and ${refPosition(events)} <= ${to}`;
  },
  check: null,
};

/**
 * Maximum size of a row that Postgres stores inline, in bytes. It moves the values of longer rows to a separate table, where each
 * change would write the whole chunk, and do so twice.
 */
const MAX_ROW_BYTES = 2_032;

/** Size of a row header, and the maximum size of a text's length prefix, in bytes. */
const [HEADER_BYTES, LENGTH_PREFIX_BYTES] = [24, 4];

/** Size of the set's number, the chunk's number, and the version, in bytes. */
const NUMBER_COLUMNS_BYTES = 3 * 8;

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
    eventLocator: eventsByKey,
    chunkDeltas: { maxDeltasFor: computeMaxDeltas },
    createRowInserts: createUnnestedInserts(db),
    insertRawRows: createBatchInserter(db),
    unindexedUsers: null,
    selectTable: (name) => sql`select 1 where to_regclass(${name}) is not null`.compile(db),
    search: createTrigramIndex(db, tableEnd),
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

/** Returns the maximum number of deltas in a chunk's row. With more deltas, Postgres would no longer store the row inline. */
function computeMaxDeltas(organizationId: string): number {
  const idBytes = HEADER_BYTES + LENGTH_PREFIX_BYTES + Buffer.byteLength(organizationId);
  const fixedBytes = Math.ceil(idBytes / 8) * 8 + NUMBER_COLUMNS_BYTES + LENGTH_PREFIX_BYTES;
  return Math.max(
    0,
    Math.floor((MAX_ROW_BYTES - computeMaxBytes(0) - fixedBytes) / (computeMaxBytes(1) - computeMaxBytes(0))),
  );
}

function matchOrganization(organizationId: Expression<string>, events: string) {
  return sql`${sql.ref(`${events}.organization_id`)} = ${organizationId}`;
}

function refPosition(events: string) {
  return sql.ref(`${events}.position`);
}

/**
 * Creates an inserter that writes all rows with a single statement, passing them as one JSON parameter. Postgres converts the
 * values to the table's column types.
 */
function createBatchInserter(db: Kysely<Tables>): InsertRawRows {
  return function* (session, table, rows) {
    const names = sql.join(Object.keys(rows[0] ?? {}).map((column) => sql.ref(column)));
    const target = sql.table(table);
    const json = JSON.stringify(rows.map(encodeRow));
    const insert = sql`insert into ${target} (${names}) select ${names} from json_populate_recordset(null::${target}, ${json}::json)`;
    yield* session.change(insert.compile(db));
  };
}

/** Converts bytes to Postgres's hex text format. */
function encodeRow(row: Row): Row {
  const isPlain = !Object.values(row).some((value) => value instanceof Uint8Array);
  return isPlain
    ? row
    : Object.fromEntries(Object.entries(row).map(([name, value]) => [name, encodeHex(value)]));
}

function encodeHex(value: unknown): unknown {
  return value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value;
}
