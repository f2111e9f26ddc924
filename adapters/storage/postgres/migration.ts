import { type CompiledQuery, sql } from "kysely";
import { awaitInStep, runStep, type Step } from "../../../src/base/concurrency/step.js";
import {
  applyChangesAfter,
  assertMigrated,
  buildVersionTable,
  getSchemaVersion,
  type Migration,
  migrate,
  readCurrentVersion,
} from "../kysely/migrations/migrations.js";
import { findFirst, type ReadSession, type Session } from "../kysely/session/session.js";
import type { SqlDialect } from "../kysely/sql/dialect.js";
import type { PostgresDatabase } from "./database.js";

/** Advisory lock number that other software is unlikely to use: "loyalty" in base 36. */
const MIGRATION_LOCK_ID = 47_221_219_078;

/**
 * Migrates the tables to this release's schema. If several processes call this concurrently, one of them migrates while the others
 * wait.
 * @returns the schema versions before and after the migration.
 */
export async function migrateTables(dialect: SqlDialect, database: PostgresDatabase): Promise<Migration> {
  // If there is nothing to migrate, don't require a role that may create tables.
  const from = await readVersion(dialect, database);
  if (from === getSchemaVersion(dialect)) return { from, to: from };
  return database.migration(function* (session) {
    yield* session.all(buildLockQuery(dialect));
    return yield* migrate(dialect, session);
  });
}

/** Returns a SQL script for manually migrating the tables to this release's schema. */
export async function buildMigrationScript(dialect: SqlDialect, database: PostgresDatabase): Promise<string> {
  const from = await readVersion(dialect, database);
  if (from === getSchemaVersion(dialect))
    return `-- The tables are already at version ${from}; there is nothing to do.\n`;
  const statements = [buildLockQuery(dialect), buildVersionTable(dialect)];
  const recorder: Session = {
    committedState: null,
    commit: null,
    fence: null,
    assertNotFailed: () => undefined,
    all: () => awaitInStep([]),
    change: (statement) => awaitInStep(statements.push(statement)),
    changeEach: (batch) => awaitInStep(batch.map((statement) => statements.push(statement))),
    changeDeferred: (batch) => awaitInStep(batch.forEach((statement) => void statements.push(statement))),
  };
  await runStep(applyChangesAfter(from, dialect, recorder));
  return ["begin", ...statements.map(inlineParameters), "commit", ""].join(";\n");
}

/**
 * Checks that the tables match this release's schema. Doesn't change anything.
 * @throws {NotMigratedError} if the tables need to be migrated to this release's schema.
 */
export function assertTables(dialect: SqlDialect, database: PostgresDatabase): Promise<void> {
  return database.snapshot(function* (session) {
    yield* assertEncoding(dialect, session);
    yield* assertMigrated(dialect, session);
  });
}

/**
 * Returns the schema version, or 0 if the database has no tables.
 * @throws if the tables belong to a later release, or if the database's encoding can't hold every string.
 */
function readVersion(dialect: SqlDialect, database: PostgresDatabase): Promise<number> {
  return database.snapshot(function* (session) {
    yield* assertEncoding(dialect, session);
    return yield* readCurrentVersion(dialect, session);
  });
}

function* assertEncoding({ db }: SqlDialect, session: ReadSession): Step<void> {
  const query = sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.compile(db);
  const encoding = (yield* findFirst(session, query))?.encoding;
  if (encoding === "UTF8") return;
  throw new Error(
    `the database's encoding is ${encoding}, which doesn't support all characters; create it with UTF8 (create database … encoding 'UTF8' template template0)`,
  );
}

function buildLockQuery({ db }: SqlDialect): CompiledQuery<unknown> {
  return sql`select pg_advisory_xact_lock(${sql.lit(MIGRATION_LOCK_ID)})`.compile(db);
}

/**
 * Returns a statement's SQL with its parameters inlined.
 * @throws if a parameter is not an integer.
 */
function inlineParameters({ sql: text, parameters }: CompiledQuery<unknown>): string {
  return text.replace(/\$(\d+)/g, (_, number) => {
    const value = parameters[Number(number) - 1];
    if (!Number.isSafeInteger(value)) throw new Error(`a migration parameter isn't an integer: ${text}`);
    return String(value);
  });
}
