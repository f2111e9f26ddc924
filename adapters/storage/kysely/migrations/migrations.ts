import type { CompiledQuery } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { shareAcrossCopies } from "../../../../src/base/copies.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { buildInitialTables } from "./first-tables.js";

/**
 * The migrations from earlier releases. The first entry migrates from version 1 to version 2, the second from version 2 to version
 * 3, and so on. Only append to this list. Migrations don't run on an empty database, because its tables are created in their
 * current form.
 */
export const migrations: SqlDialect["migrations"] = [];

/** Returns the schema version that this release reads and writes. */
export function getSchemaVersion({ migrations }: Pick<SqlDialect, "migrations">): number {
  return 1 + migrations.length;
}

/** The schema versions before and after a migration. They are equal if no migration was needed. */
export interface Migration {
  /** The schema version before the migration, or 0 if the database had no tables. */
  readonly from: number;
  /** The schema version after the migration, which is the version that this release requires. */
  readonly to: number;
}

/** Options for migrating the tables when a storage adapter is opened. */
export interface MigrationOptions {
  /**
   * With `auto`, missing tables are created and tables from an earlier release are migrated when the storage adapter is opened. A
   * migration immediately locks out all processes that still run the earlier release. With `never`, nothing is created or changed,
   * and opening the storage adapter fails if the tables are missing or have another release's schema. Default: `auto`.
   */
  readonly migrate?: "auto" | "never";
  /** Called with the schema versions after the tables have been created or migrated. */
  readonly onMigration?: (migration: Migration) => void;
}

/**
 * Migrates a database's tables to the schema version that this release requires.
 * @param session a transaction during which no other migration of this database can run.
 * @throws if the database has a later release's schema. In that case, nothing is changed.
 */
export function* migrate(dialect: SqlDialect, session: Session): Step<Migration> {
  yield* session.change(buildVersionTable(dialect));
  const from = yield* readVersion(dialect, session);
  yield* applyChangesAfter(from, dialect, session);
  return { from, to: getSchemaVersion(dialect) };
}

/**
 * Reads a database's schema version.
 * @returns the version, or 0 if there are no tables.
 * @throws if the database has a later release's schema.
 */
export function* readCurrentVersion(dialect: SqlDialect, session: ReadSession): Step<number> {
  const hasTables = (yield* findFirst(session, dialect.selectTable("loyalty_migrations"))) !== null;
  return hasTables ? yield* readVersion(dialect, session) : 0;
}

/**
 * Checks that a database has this release's schema version.
 * @throws {NotMigratedError} if the tables are missing or need to be migrated.
 * @throws if the database has a later release's schema.
 */
export function* assertMigrated(dialect: SqlDialect, session: ReadSession): Step<void> {
  const version = yield* readCurrentVersion(dialect, session);
  const needed = getSchemaVersion(dialect);
  if (version < needed) throw new NotMigratedError(version, needed);
}

/**
 * Returns the version of a database that has a version table.
 * @throws if the database belongs to a later release.
 */
function* readVersion(dialect: SqlDialect, session: ReadSession): Step<number> {
  const supportedVersion = getSchemaVersion(dialect);
  const newest = dialect.db
    .selectFrom("loyalty_migrations")
    .select(({ fn }) => fn.max("version").as("version"));
  const version = (yield* findFirst(session, newest.compile()))?.version ?? 0;
  if (version > supportedVersion) {
    throw new Error(
      `the database is at schema version ${version}, but this release of loyalty-kit supports only versions up to ` +
        `${supportedVersion}; use the release that created it or a newer one`,
    );
  }
  return version;
}

/** Applies all schema changes from version `from` to this release's version. Version 0 is an empty database. */
export function* applyChangesAfter(from: number, dialect: SqlDialect, session: Session): Step<void> {
  const newest = getSchemaVersion(dialect);
  if (from === newest) return;
  yield* runAll(session, dialect.migrationFence(newest));
  if (from === 0) yield* runAll(session, buildInitialTables(dialect));
  else for (const migration of dialect.migrations.slice(from - 1)) yield* migration(dialect, session);
  const applied = { version: newest, applied_at: Date.now() };
  yield* session.change(dialect.db.insertInto("loyalty_migrations").values(applied).compile());
  // Must come after all indexes exist.
  yield* runAll(session, dialect.plannerHints);
}

/** Builds the statement that creates the migrations table if it doesn't exist. */
export function buildVersionTable({ db, columns }: SqlDialect): CompiledQuery<unknown> {
  return db.schema
    .createTable("loyalty_migrations")
    .ifNotExists()
    .addColumn("version", columns.integer, (column) => column.primaryKey())
    .addColumn("applied_at", columns.integer, (column) => column.notNull())
    .compile();
}

function* runAll(session: Session, statements: readonly CompiledQuery<unknown>[]): Step<void> {
  for (const statement of statements) yield* session.change(statement);
}

/**
 * Thrown when a database is opened with `migrate: "never"` but its tables are missing or have an earlier release's schema.
 *
 * @example
 * import { NotMigratedError, sqliteStorage } from "loyalty-kit/sqlite";
 *
 * const storage = await sqliteStorage("cafe.db", { migrate: "never" }).catch((error: unknown) => {
 *   if (error instanceof NotMigratedError) console.error(`The tables have version ${error.version}.`);
 *   throw error;
 * });
 */
export class NotMigratedError extends Error {
  static {
    shareAcrossCopies(NotMigratedError, "NotMigratedError");
  }

  override readonly name = "NotMigratedError";

  constructor(
    /** The version of the database's tables, or 0 if there are none. */
    readonly version: number,
    /** The version that this release requires. */
    readonly needed: number,
  ) {
    super(
      version === 0
        ? 'the database has no loyalty-kit tables yet; create them with "loyalty-kit migrate"'
        : `the database is at schema version ${version}, but this release of loyalty-kit needs version ${needed}; ` +
            'migrate it with "loyalty-kit migrate"',
    );
  }
}
