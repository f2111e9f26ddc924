import type { CompiledQuery } from "kysely";
import { clusteredUsers } from "./clustered-users.js";
import type { SqlDialect } from "./dialect.js";
import { firstTables } from "./first-tables.js";
import { indexUsers } from "./index-users.js";
import { first, type Session } from "./session.js";

/** Every change of the tables ever released, in order; the first takes a database to version 1. Only ever append. */
const migrations: readonly ((dialect: SqlDialect, session: Session) => Promise<void>)[] = [
  (dialect, session) => runAll(session, firstTables(dialect)),
  async (dialect, session) => {
    await runAll(session, clusteredUsers(dialect));
    await dialect.search.create(session);
    await indexUsers(dialect, session);
    await runAll(session, dialect.plannerHints);
  },
];

/** The version that this release reads and writes. */
export const SCHEMA_VERSION = migrations.length;

/** The versions of a database before and after its migration; equal when there was nothing to do. */
export interface Migration {
  readonly from: number;
  readonly to: number;
}

/**
 * Brings the tables to {@link SCHEMA_VERSION}.
 * @param session a transaction that keeps out every other migration of this database.
 * @throws when the database is of a later release; nothing is changed then.
 */
export async function migrate(dialect: SqlDialect, session: Session): Promise<Migration> {
  const { db, columns } = dialect;
  await session.change(
    db.schema
      .createTable("loyalty_migrations")
      .ifNotExists()
      .addColumn("version", columns.integer, (column) => column.primaryKey())
      .addColumn("applied_at", columns.integer, (column) => column.notNull())
      .compile(),
  );
  const newest = db.selectFrom("loyalty_migrations").select(({ fn }) => fn.max("version").as("version"));
  const from = Number((await first(session, newest.compile()))?.version ?? 0);
  if (from > SCHEMA_VERSION) {
    throw new Error(
      `the database has version ${from} of the tables, and this release of loyalty-kit knows versions up to ` +
        `${SCHEMA_VERSION}: use the release that made it, or a later one`,
    );
  }
  for (const [index, change] of migrations.entries()) {
    const version = index + 1;
    if (version <= from) continue;
    await change(dialect, session);
    const applied = { version, applied_at: Date.now() };
    await session.change(db.insertInto("loyalty_migrations").values(applied).compile());
  }
  return { from, to: SCHEMA_VERSION };
}

async function runAll(session: Session, statements: readonly CompiledQuery<unknown>[]): Promise<void> {
  for (const statement of statements) await session.change(statement);
}
