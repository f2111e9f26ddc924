import { sql } from "kysely";
import { verifyTrail } from "../../../../src/access/audit-trail.js";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { repairMembers, wrongMembers } from "../../../../src/segments/stored-members.js";
import type { Column } from "../../../../src/storage/record.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { prepareBlockUsers, toBlock } from "../contacts/search-blocks.js";
import type { SqlAccess } from "../copying/copy.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import { toSqlName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";
import { createCopyCheck } from "./copy-check.js";
import { createCounterCheck } from "./counter-check.js";
import type { FindingKind, IntegrityFinding, RowProblem } from "./finding.js";
import { createFoldCheck } from "./fold-check.js";
import { createLedgerCheck } from "./ledger-check.js";
import { createMessageCheck } from "./message-check.js";
import { createPointCheck } from "./point-check.js";
import { createPurchaseCheck } from "./purchase-check.js";
import { createStatisticsCheck } from "./statistics-check.js";

/** All columns that refer to a column in another table. */
const references = Object.values(tables).flatMap(({ record, beside }) =>
  Object.entries<Column>({ ...record.columns, ...beside }).flatMap(
    ([
      column,
      {
        traits: { reference },
      },
    ]) => (reference === null ? [] : [{ of: toSqlName(record.name), column: toSqlName(column), reference }]),
  ),
);

/** Excludes assignments of tags that are being removed, because those assignments are deleted in slices. */
const excludeRemovals = sql`and not exists (select 1 from loyalty_tag_removals removals
  where removals.organization_id = rows.organization_id and removals.ordinal = rows.tag_ordinal)`;

interface Check {
  find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]>;
  /** Rebuilds the derived data. Absent if the data can't be rebuilt. */
  repair?(session: Session, organizationId: string): Step<void>;
}

/**
 * Checks that each event is stored in the right place for its position, and moves misplaced events if requested. Call this before
 * {@link checkOrganization}, because a misplaced event can be among another organization's events.
 * @param organizationId the ID of the organization to check, or `null` to check all organizations.
 * @returns the events that were misplaced or had a wrong position.
 */
export async function checkEventPositions(
  { dialect, database }: SqlAccess,
  organizationId: string | null,
  isRepairing: boolean,
): Promise<IntegrityFinding[]> {
  const { check } = dialect.eventLocator;
  if (check === null) return [];
  const findMisplaced = async () => {
    const events = await database.snapshot((session) => session.all(check.findMisplaced));
    return events.filter((event) => organizationId === null || event.organizationId === organizationId);
  };
  const misplaced = await findMisplaced();
  if (misplaced.length > 0 && isRepairing) {
    const repairing = function* (session: Session) {
      yield* session.change(check.reposition(organizationId));
      yield* session.change(check.relocate(organizationId));
    };
    await database.transaction(repairing, { isLarge: true });
  }
  const remainingIds = new Set(
    (misplaced.length === 0 ? misplaced : await findMisplaced()).map(({ id }) => id),
  );
  return misplaced.map((event) => ({
    organizationId: event.organizationId,
    kind: "copies",
    about: `events.place of ${event.id}`,
    isRepaired: isRepairing && !remainingIds.has(event.id),
  }));
}

/**
 * Runs all checks on one organization, and repairs its data if requested. The order of the checks matters, because each check
 * relies on data that earlier checks have verified and repaired. Counters come before the rows that they number, ledgers before
 * statistics, and tag sets before segment members.
 */
export async function checkOrganization(
  { dialect, database }: SqlAccess,
  storage: StorageAdapter,
  organizationId: string,
  isRepairing: boolean,
): Promise<IntegrityFinding[]> {
  const checks: Readonly<Record<Exclude<FindingKind, "segments" | "audit">, Check>> = {
    copies: createCopyCheck(dialect),
    counters: createCounterCheck(dialect),
    references: createReferenceCheck(dialect),
    folds: createFoldCheck(dialect),
    ledger: createLedgerCheck(dialect),
    points: createPointCheck(dialect),
    purchases: createPurchaseCheck(dialect),
    messages: createMessageCheck(dialect),
    statistics: createStatisticsCheck(dialect),
    search: createSearchCheck(dialect),
    savedSegments: createSavedSegmentCheck(dialect),
  };
  const findings: IntegrityFinding[] = [];
  const addFindings = (
    kind: FindingKind,
    problems: readonly RowProblem[],
    remaining: readonly RowProblem[],
  ) => {
    const remainingKeys = new Set(remaining.map(getAbout));
    // A repair may reveal further problems.
    const problemsByName = new Map(
      [...remaining, ...problems].map((problem) => [getAbout(problem), problem]),
    );
    for (const problem of problemsByName.values()) {
      const about = getAbout(problem);
      const isRepaired = isRepairing && !remainingKeys.has(about);
      findings.push({
        organizationId,
        kind,
        about,
        isRepaired,
        ...(typeof problem === "object" && { reason: problem.reason }),
      });
    }
  };
  for (const [kind, check] of Object.entries(checks) as [keyof typeof checks, Check][]) {
    const { repair } = check;
    const findProblems = () => database.snapshot((session) => check.find(session, organizationId));
    const problems = await findProblems();
    if (problems.length === 0) continue;
    if (!isRepairing || repair === undefined) addFindings(kind, problems, problems);
    else {
      const repairing = function* (session: Session) {
        yield* lockOrganization(dialect, session, organizationId);
        yield* repair(session, organizationId);
        yield* session.change(buildCacheInvalidation(dialect, organizationId));
      };
      await database.transaction(repairing, { isLarge: true, organizationId });
      addFindings(kind, problems, await findProblems());
    }
  }
  const { brokenAt } = await storage.snapshot(organizationId, (reader) =>
    verifyTrail(reader, organizationId),
  );
  if (brokenAt !== null) addFindings("audit", [`entry ${brokenAt}`], [`entry ${brokenAt}`]);
  const findWrongSets = async () => {
    const { wrong } = await runStep(storage.reader(organizationId).verifyTagSets());
    return wrong.map((slug) => slug ?? "all users");
  };
  const wrongSets = await findWrongSets();
  if (wrongSets.length > 0 && isRepairing) {
    await storage.transaction(organizationId, (tx) => tx.rebuildTagSets(), { isLarge: true });
  }
  if (wrongSets.length > 0) addFindings("segments", wrongSets, await findWrongSets());
  const findWrongMembers = async () => {
    const differing = await storage.snapshot(organizationId, (reader) =>
      wrongMembers(reader, organizationId),
    );
    return differing.map(({ segment: { slug } }) => `members of ${slug}`);
  };
  const differing = await findWrongMembers();
  // Don't recount members from stamp cards or tags that are still wrong.
  const hasReliableInputs = findings.every(
    ({ kind, isRepaired }) => isRepaired || !segmentInputKinds.has(kind),
  );
  if (differing.length > 0 && isRepairing && hasReliableInputs) {
    await storage.transaction(organizationId, (tx) => repairMembers(tx, organizationId), { isLarge: true });
  }
  if (differing.length > 0) addFindings("savedSegments", differing, await findWrongMembers());
  return findings;
}

/** Kinds of checks on data that segment members are derived from. */
const segmentInputKinds: ReadonlySet<FindingKind> = new Set([
  "references",
  "ledger",
  "points",
  "purchases",
  "segments",
]);

/** Locks the organization if transactions run in parallel, because a rebuild would overwrite concurrent changes. */
function* lockOrganization(
  { db, locksOrganizations }: SqlDialect,
  session: Session,
  organizationId: string,
): Step<void> {
  if (!locksOrganizations) return;
  const row = db.selectFrom("loyalty_organizations").select("organization_id");
  yield* session.all(row.where("organization_id", "=", organizationId).forUpdate().compile());
}

/** Makes caches reload customers, because they may have read data from before the repair. */
function buildCacheInvalidation({ db }: SqlDialect, organizationId: string) {
  const row = db.updateTable("loyalty_organizations").where("organization_id", "=", organizationId);
  return row.set(({ eb }) => ({ changes_without_event: eb("changes_without_event", "+", 1) })).compile();
}

function getAbout(problem: RowProblem): string {
  return typeof problem === "string" ? problem : problem.about;
}

/** Creates the check for stored segment members. Only segments that emit events can have any. */
function createSavedSegmentCheck({ db }: Pick<SqlDialect, "db">) {
  const isOrphaned = (organizationId: string) => sql`organization_id = ${organizationId}
    and segment_id in (select id from loyalty_saved_segments
      where organization_id = ${organizationId} and emits_events = 0)`;

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const orphaned = sql<{ id: string }>`select distinct segment_id as id from loyalty_segment_slices
        where ${isOrphaned(organizationId)} order by 1`;
      return (yield* session.all(orphaned.compile(db))).map(({ id }) => `members of ${id}`);
    },

    *repair(session: Session, organizationId: string): Step<void> {
      yield* session.change(
        sql`delete from loyalty_segment_slices where ${isOrphaned(organizationId)}`.compile(db),
      );
    },
  };
}

/**
 * Creates the check for the contacts' indexes. The search index must match the users' search text, and the sort indexes must
 * contain all users.
 */
function createSearchCheck(dialect: SqlDialect) {
  const { db, search, unindexedUsers } = dialect;
  const selectBlock = prepareBlockUsers(dialect);

  function* countBlocks(session: ReadSession, organizationId: string): Step<number> {
    const query = db
      .selectFrom("loyalty_organizations")
      .select("next_user_ordinal as next")
      .where("organization_id", "=", organizationId);
    const row = yield* findFirst(session, query.compile());
    return toBlock(row?.next ?? 0);
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const wrongBlocks: string[] = [];
      const blocks = yield* countBlocks(session, organizationId);
      for (let block = 0; block < blocks; block += 1) {
        const users = yield* selectBlock(session, organizationId, block);
        const isCorrect =
          (yield* search.hasExactly(session, organizationId, block, users)) &&
          (unindexedUsers === null ||
            (yield* session.all(unindexedUsers.listInBlock(organizationId, block))).length === 0);
        if (!isCorrect) wrongBlocks.push(`block ${block}`);
      }
      return wrongBlocks;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      yield* search.clear(session, organizationId);
      const blocks = yield* countBlocks(session, organizationId);
      for (let block = 0; block < blocks; block += 1) {
        const users = yield* selectBlock(session, organizationId, block);
        if (users.length > 0) yield* search.add(session, organizationId, block, users);
        if (unindexedUsers !== null) yield* session.change(unindexedUsers.indexBlock(organizationId, block));
      }
    },
  };
}

/**
 * Creates the check for dangling references: values that don't exist in the table they refer to. The check can repair two kinds of
 * dangling references by deleting rows that have no effect: the members of a deleted segment, and a deleted tag's assignments to
 * users who weren't in the tag's set.
 */
function createReferenceCheck({ db }: SqlDialect) {
  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const danglingReferences: string[] = [];
      for (const { of, column, reference } of references) {
        const dangling = sql`select 1 from ${sql.table(`loyalty_${of}`)} rows
          where rows.organization_id = ${organizationId} and ${sql.ref(`rows.${column}`)} is not null and not exists (
            select 1 from ${sql.table(`loyalty_${toSqlName(reference.table)}`)} others
            where others.organization_id = rows.organization_id
            and ${sql.ref(`others.${toSqlName(reference.column)}`)} = ${sql.ref(`rows.${column}`)})
            ${of === "user_tag_assignments" && column === "tag_ordinal" ? excludeRemovals : sql``} limit 1`;
        if ((yield* findFirst(session, dangling.compile(db))) !== null)
          danglingReferences.push(`${of}.${column}`);
      }
      return danglingReferences;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const deleteAssignments = sql`delete from loyalty_user_tag_assignments as rows
        where organization_id = ${organizationId}
        and tag_ordinal < (select next_tag_ordinal from loyalty_organizations where organization_id = ${organizationId})
        and not exists (select 1 from loyalty_user_tags
          where loyalty_user_tags.organization_id = ${organizationId}
          and loyalty_user_tags.ordinal = rows.tag_ordinal)
        ${excludeRemovals}`;
      yield* session.change(deleteAssignments.compile(db));
      const deleteSlices = sql`delete from loyalty_segment_slices where organization_id = ${organizationId}
        and segment_id not in (select id from loyalty_saved_segments where organization_id = ${organizationId})`;
      yield* session.change(deleteSlices.compile(db));
    },
  };
}
