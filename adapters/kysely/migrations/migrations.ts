import type { CompiledQuery } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { first, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { actors } from "./actors.js";
import { answerAndAppTables } from "./answer-and-app-tables.js";
import { answerBytes } from "./answer-bytes.js";
import { answersOfUsers } from "./answers-of-users.js";
import { assignmentsOfUsers } from "./assignments-of-users.js";
import { automationTables } from "./automations.js";
import { clusteredUsers } from "./clustered-users.js";
import { dayCounts } from "./day-counts.js";
import { deliveriesByReference } from "./deliveries-by-reference.js";
import { deliveryStatus } from "./delivery-status.js";
import { endpointsBehind } from "./endpoints-behind.js";
import { endsOfAccess } from "./ends-of-access.js";
import { eventPositions } from "./event-positions.js";
import { firstTables } from "./first-tables.js";
import { grantsOfSubjects } from "./grants-of-subjects.js";
import { indexUsers } from "./index-users.js";
import { makersOfVersions } from "./makers-of-versions.js";
import { marks } from "./marks.js";
import { messageTables } from "./message-tables.js";
import { NotMigratedError } from "./not-migrated.js";
import { passesOfTemplates } from "./passes-of-templates.js";
import { passkeys } from "./passkeys.js";
import { people } from "./people.js";
import { placesOfTokens } from "./places-of-tokens.js";
import { publicLinks } from "./public-links.js";
import { reversedEntries } from "./reversed-entries.js";
import { savedSegmentTables } from "./saved-segments.js";
import { segmentSlices } from "./segment-slices.js";
import { servers } from "./servers.js";
import { settingsTable } from "./settings.js";
import { severalPasses } from "./several-passes.js";
import { shopMessages } from "./shop-messages.js";
import { addedColumns } from "./table-builder.js";
import { typedEmails } from "./typed-emails.js";
import { visitHours } from "./visit-hours.js";
import { visitsOfCards } from "./visits.js";
import { walletTables } from "./wallet-tables.js";
import { webhookTables } from "./webhook-tables.js";

/** Every change of the tables ever released, in order; the first takes a database to version 1. Only ever append. */
const migrations: readonly ((dialect: SqlDialect, session: Session) => Step<void>)[] = [
  (dialect, session) => runAll(session, firstTables(dialect)),
  function* (dialect, session) {
    yield* runAll(session, clusteredUsers(dialect));
    yield* runAll(session, dialect.search.tables);
    yield* indexUsers(dialect, session);
  },
  (dialect, session) => runAll(session, answerAndAppTables(dialect)),
  (dialect, session) => runAll(session, webhookTables(dialect)),
  // Version 5: the planner's hints, which run after every migration, for files that had them before the latest indexes.
  (_dialect, session) => runAll(session, []),
  (dialect, session) => runAll(session, deliveriesByReference(dialect)),
  (dialect, session) => runAll(session, walletTables(dialect)),
  (dialect, session) => runAll(session, deliveryStatus(dialect)),
  // Version 9: a search index that is exact, and that gets users block by block.
  function* (dialect, session) {
    const { statements, empties } = dialect.search.renewal;
    yield* runAll(session, statements);
    if (empties) yield* indexUsers(dialect, session);
  },
  (dialect, session) => runAll(session, dayCounts(dialect)),
  (dialect, session) => runAll(session, publicLinks(dialect)),
  (dialect, session) => runAll(session, reversedEntries(dialect)),
  (dialect, session) => runAll(session, answersOfUsers(dialect)),
  (dialect, session) => runAll(session, answerBytes(dialect)),
  (dialect, session) => runAll(session, endsOfAccess(dialect)),
  (dialect, session) => runAll(session, actors(dialect)),
  (dialect, session) => runAll(session, [...placesOfTokens(dialect), ...endpointsBehind(dialect)]),
  (dialect, session) => runAll(session, servers(dialect)),
  (dialect, session) =>
    runAll(session, addedColumns(dialect, tables.walletCards, "toldUntil", "installationDueAt", "letGoAt")),
  // Version 20: no email of somebody in the metadata of who joined with it.
  function* (dialect, session) {
    yield* runAll(session, grantsOfSubjects(dialect));
    yield* typedEmails(dialect, session);
  },
  (dialect, session) => runAll(session, marks(dialect)),
  (dialect, session) => runAll(session, addedColumns(dialect, tables.templates, "reward")),
  (dialect, session) => runAll(session, messageTables(dialect)),
  (dialect, session) => runAll(session, settingsTable(dialect)),
  (dialect, session) => runAll(session, shopMessages(dialect)),
  (dialect, session) => runAll(session, visitsOfCards(dialect)),
  (dialect, session) => runAll(session, savedSegmentTables(dialect)),
  (dialect, session) => runAll(session, automationTables(dialect)),
  (dialect, session) => runAll(session, addedColumns(dialect, tables.savedSegments, "emitsSince")),
  (dialect, session) => runAll(session, eventPositions(dialect)),
  (dialect, session) =>
    runAll(session, addedColumns(dialect, tables.settings, "name", "logo", "language", "currency")),
  (dialect, session) => runAll(session, severalPasses(dialect)),
  // Version 33: events say what the open day counts, so that the row of their organization is not written with each.
  (dialect, session) => runAll(session, addedColumns(dialect, tables.events, "openDay")),
  (dialect, session) => runAll(session, passesOfTemplates(dialect)),
  (dialect, session) => runAll(session, visitHours(dialect)),
  (dialect, session) => runAll(session, people(dialect)),
  (dialect, session) => runAll(session, assignmentsOfUsers(dialect)),
  // Version 38: events lie by numbers, where that makes fewer pages change with each.
  (dialect, session) => runAll(session, dialect.eventPlaces.renewal),
  (dialect, session) => runAll(session, passkeys(dialect)),
  // Version 40: a change of a set writes few bytes into the log of Postgres.
  (dialect, session) => runAll(session, dialect.flips.renewal),
  // Version 41: users enter the indexes of orders block by block, where that makes fewer pages change with each.
  (dialect, session) => runAll(session, dialect.lateUsers?.renewal ?? []),
  (dialect, session) => runAll(session, segmentSlices(dialect)),
  // Version 43: slices of members count who moved, so that the row of a day is not written with each.
  (dialect, session) =>
    runAll(session, addedColumns(dialect, tables.segmentSlices, "day", "entered", "left")),
  (dialect, session) => runAll(session, makersOfVersions(dialect)),
  // Version 45: what is merged of the search index holds up the process for less time.
  (dialect, session) => runAll(session, dialect.search.smallMerges),
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
export function* migrate(dialect: SqlDialect, session: Session): Step<Migration> {
  yield* session.change(versionTable(dialect));
  const from = yield* versionOf(dialect, session);
  yield* changesAfter(from, dialect, session);
  return { from, to: SCHEMA_VERSION };
}

/**
 * The version of a database, 0 where it has no tables.
 * @throws when it is of a later release.
 */
export function* currentVersion(dialect: SqlDialect, session: ReadSession): Step<number> {
  const isThere = (yield* first(session, dialect.tableNamed("loyalty_migrations"))) !== null;
  return isThere ? yield* versionOf(dialect, session) : 0;
}

/** @throws {NotMigratedError} when the tables are still to be brought to this release. @throws as {@link currentVersion}. */
export function* assertMigrated(dialect: SqlDialect, session: ReadSession): Step<void> {
  const version = yield* currentVersion(dialect, session);
  if (version < SCHEMA_VERSION) throw new NotMigratedError(version, SCHEMA_VERSION);
}

/** The version of a database that has had a migration. @throws when it is of a later release. */
function* versionOf({ db }: SqlDialect, session: ReadSession): Step<number> {
  const newest = db.selectFrom("loyalty_migrations").select(({ fn }) => fn.max("version").as("version"));
  const version = (yield* first(session, newest.compile()))?.version ?? 0;
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `the database has version ${version} of the tables, and this release of loyalty-kit knows versions up to ` +
        `${SCHEMA_VERSION}: use the release that made it, or a later one`,
    );
  }
  return version;
}

/** Makes the changes that a database of this version, 0 for an empty one, has not had yet. */
export function* changesAfter(from: number, dialect: SqlDialect, session: Session): Step<void> {
  if (from < SCHEMA_VERSION) yield* runAll(session, dialect.migrationFence(SCHEMA_VERSION));
  for (const [index, change] of migrations.entries()) {
    const version = index + 1;
    if (version <= from) continue;
    yield* change(dialect, session);
    const applied = { version, applied_at: Date.now() };
    yield* session.change(dialect.db.insertInto("loyalty_migrations").values(applied).compile());
  }
  // Once all indexes are there.
  if (from < SCHEMA_VERSION) yield* runAll(session, dialect.plannerHints);
}

/** Makes the table of the versions, unless it is there. */
export function versionTable({ db, columns }: SqlDialect): CompiledQuery<unknown> {
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
