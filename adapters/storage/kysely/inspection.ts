import type { CompiledQuery } from "kysely";
import { getSchemaVersion } from "./migrations/migrations.js";
import type { SqlDialect } from "./sql/dialect.js";

/** The state of a database's tables, read without changing anything. */
export interface Inspection {
  /** The database's schema version, or 0 if there are no tables. */
  readonly version: number;
  /** The schema version that this release requires. */
  readonly needed: number;
  /**
   * The start of the minute in which the newest event was recorded, in milliseconds since the Unix epoch. `null` if there are no
   * events or if the tables have another release's schema.
   */
  readonly newestEventAt: number | null;
}

/** Runs a query and resolves to its rows. Rejects with the database's error if the query fails. */
export type RunQuery = <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;

/**
 * Reads a database's schema version and the time of its newest event, along with the schema version that this release requires.
 * Doesn't change anything.
 * @param runQuery a function that runs a query and resolves to its rows.
 * @throws the database's error if a query fails.
 */
export async function inspectTables(dialect: SqlDialect, runQuery: RunQuery): Promise<Inspection> {
  const { db, selectTable } = dialect;
  const needed = getSchemaVersion(dialect);
  const hasTables = (await runQuery(selectTable("loyalty_migrations"))).length > 0;
  if (!hasTables) return { version: 0, needed, newestEventAt: null };
  const versions = db.selectFrom("loyalty_migrations").select(({ fn }) => fn.max("version").as("version"));
  const version = (await runQuery(versions.compile()))[0]?.version ?? 0;
  if (version !== needed) return { version, needed, newestEventAt: null };
  const newest = db
    .selectFrom("loyalty_organizations")
    .select(({ fn }) => fn.max("newest_event_minute").as("minute"));
  const minute = (await runQuery(newest.compile()))[0]?.minute ?? 0;
  return { version, needed, newestEventAt: minute > 0 ? minute * 60_000 : null };
}
