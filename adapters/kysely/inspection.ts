import type { CompiledQuery } from "kysely";
import { schemaVersion } from "./migrations/migrations.js";
import type { SqlDialect } from "./sql/dialect.js";

/** The tables of a database, looked at without a change. */
export interface Inspection {
  /** The version of the tables; 0 where there are none. */
  readonly version: number;
  /** The version that this release works with. */
  readonly needed: number;
  /** The minute of the newest event, in milliseconds since the Unix epoch; `null` if there is none, or the tables are of another release. */
  readonly newestEventAt: number | null;
}

/** Runs one query. */
export type RunQuery = <Row>(query: CompiledQuery<Row>) => Promise<readonly Row[]>;

/** Looks at the tables. @throws what the database throws. */
export async function inspectTables(dialect: SqlDialect, ask: RunQuery): Promise<Inspection> {
  const { db, tableNamed } = dialect;
  const needed = schemaVersion(dialect);
  const isThere = (await ask(tableNamed("loyalty_migrations"))).length > 0;
  if (!isThere) return { version: 0, needed, newestEventAt: null };
  const versions = db.selectFrom("loyalty_migrations").select(({ fn }) => fn.max("version").as("version"));
  const version = (await ask(versions.compile()))[0]?.version ?? 0;
  if (version !== needed) return { version, needed, newestEventAt: null };
  const newest = db
    .selectFrom("loyalty_organizations")
    .select(({ fn }) => fn.max("newest_event_minute").as("minute"));
  const minute = (await ask(newest.compile()))[0]?.minute ?? 0;
  return { version, needed, newestEventAt: minute > 0 ? minute * 60_000 : null };
}
