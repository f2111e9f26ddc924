import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Claim, JobKind, JobLookUps, JobReads, JobWrites } from "../../../../src/storage/jobs.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { ReadModule, WriteContext } from "../change/commit-buffer.js";
import { withRules } from "../session/call-rules.js";
import { changeRow, findFirst, prepare, type Session, type Slot } from "../session/session.js";
import { toSqlName, toSqlTableName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { createRowStatements } from "../sql/rows.js";
import { queueColumns } from "../sql/tables.js";

/** Tables whose names are only known at run time. */
type AnyTables = Record<string, Record<string, unknown>>;

const NO_SWEEPS = "[]";

type JobKey = { organizationId: string; lane: string; subject: string; lease: string };

export function jobReads(dialect: SqlDialect): ReadModule<JobReads, JobLookUps> {
  const findQueuesWithDueJobs = memoizeByKind((kind) => prepareDueQueues(dialect, kind));
  const countDue = memoizeByKind((kind) => prepareDueCount(dialect, kind));
  const queues = memoizeByKind((kind) => createQueueStatements(dialect, kind));
  return {
    reads: {
      findQueue: withRules({ locks: "none" }, ({ session, organizationId }, kind) =>
        queues(kind).find(session, organizationId, {}),
      ),
      *countDueJobs({ session, organizationId }, kind, lane, now, limit) {
        const dueCount = yield* findFirst(session, countDue(kind)({ organizationId, lane, now, limit }));
        return Number(dueCount?.total ?? 0);
      },
    },
    lookUps: {
      queuesWithDueJobs: withRules({ readsBuffered: true }, function* ({ session }, kind, now, limit) {
        const rows = yield* session.all(findQueuesWithDueJobs(kind)({ now, limit }));
        return rows.map(({ organizationId }) => organizationId);
      }),
    },
  };
}

/** Creates the write functions for queues and jobs. They also update the due time in the queue's row. */
export function jobWrites(dialect: SqlDialect): Functions<JobWrites, WriteContext> {
  const statements = memoizeByKind((kind) => prepareJobStatements(dialect, kind));
  const queues = memoizeByKind((kind) => createQueueStatements(dialect, kind));

  function* lockQueueRow(
    { session, buffer, organizationId }: WriteContext,
    kind: JobKind,
    isWaiting: boolean,
  ): Step<object | null> {
    if (kind.isLockedAlone) return yield* queues(kind).lock(session, organizationId, {}, isWaiting);
    if (dialect.locksOrganizations) yield* buffer.lock(organizationId);
    return yield* queues(kind).find(session, organizationId, {});
  }

  return {
    *insertQueue({ session, buffer, organizationId }, kind, queue) {
      yield* session.change(queues(kind).insert(organizationId, { ...queue, dueAt: null }));
      yield* buffer.updateCounters(organizationId, {});
    },

    lockQueue: withRules({ locks: "none" }, (context, kind) => lockQueueRow(context, kind, true)),

    tryLockQueue: withRules({ locks: "none" }, (context, kind) => lockQueueRow(context, kind, false)),

    updateQueue: withRules({ locks: "none" }, ({ session, organizationId }, kind, queue) =>
      changeRow(session, queues(kind).update(organizationId, { ...queue, dueAt: null })),
    ),

    putJobs: withRules({ locks: "none" }, function* ({ session, organizationId }, kind, jobs) {
      const { put, setDueTime } = statements(kind);
      yield* session.changeEach(jobs.map((job) => put({ ...job, organizationId })));
      yield* session.change(setDueTime({ organizationId }));
    }),

    claimJobs: withRules({ locks: "none" }, function* ({ session, organizationId }, kind, lane, claim) {
      const { dueRows, setDueTime } = statements(kind);
      const claimed = yield* dueRows.claim(session, organizationId, lane, claim);
      if (claimed.length > 0) yield* session.change(setDueTime({ organizationId }));
      return claimed;
    }),

    recordResults: withRules(
      { locks: "none" },
      function* ({ session, organizationId }, kind, lane, lease, results, now) {
        const { retry, finish, renew, setDueTime } = statements(kind);
        const recordedSubjects: string[] = [];
        for (const { subject, revision, nextAttemptAt } of results) {
          const key = { organizationId, lane, subject, lease };
          const isHeld =
            nextAttemptAt === null
              ? (yield* changeRow(session, finish({ ...key, revision }))) ||
                (yield* changeRow(session, renew({ ...key, now })))
              : yield* changeRow(session, retry({ ...key, nextAttemptAt }));
          if (isHeld) recordedSubjects.push(subject);
        }
        yield* session.change(setDueTime({ organizationId }));
        return recordedSubjects;
      },
    ),

    deleteJobs: withRules({ locks: "none" }, function* ({ session, organizationId }, kind, lane, subjects) {
      const { remove, setDueTime } = statements(kind);
      yield* session.change(remove({ organizationId, lane, subjects: dialect.listParameter(subjects) }));
      yield* session.change(setDueTime({ organizationId }));
    }),
  };
}

/** Caches one value per kind, created on first use. */
function memoizeByKind<Made>(create: (kind: JobKind) => Made): (kind: JobKind) => Made {
  const valuesByKind = new Map<JobKind, Made>();
  return (kind) => {
    const value = valuesByKind.get(kind) ?? create(kind);
    valuesByKind.set(kind, value);
    return value;
  };
}

function createQueueStatements(dialect: SqlDialect, { queue: record }: JobKind) {
  return createRowStatements(dialect, { record, beside: queueColumns });
}

interface QueueRow {
  readonly organization_id: string;
  readonly due_at: number | null;
  readonly position: number;
  readonly sweeps: string;
}

function prepareDueQueues(dialect: SqlDialect, { queue: { name, columns } }: JobKind) {
  const { db } = dialect;
  return prepare((slot: Slot<{ now: number; limit: number }>) =>
    db
      .selectFrom(sql<QueueRow>`${sql.table(toSqlTableName({ name }))}`.as("queue"))
      .innerJoin("loyalty_organizations as known", "known.organization_id", "queue.organization_id")
      .select("queue.organization_id as organizationId")
      .where(({ eb, or, ref }) =>
        or([
          eb("queue.due_at", "<=", slot("now")),
          ...("position" in columns ? [eb("queue.position", "<", ref("known.newest_event_position"))] : []),
          ...("sweeps" in columns ? [eb("queue.sweeps", "<>", NO_SWEEPS)] : []),
        ]),
      )
      .orderBy("queue.due_at", (order) => order.asc().nullsLast())
      .limit(slot("limit")),
  );
}

function prepareDueCount({ db }: SqlDialect, { record, lane }: JobKind) {
  const tables = db.withTables<Record<string, Record<string, string | number>>>();
  type Due = { organizationId: string; lane: string; now: number; limit: number };
  return prepare((slot: Slot<Due>) =>
    tables
      .selectFrom(
        tables
          .selectFrom(toSqlTableName(record))
          .select("next_attempt_at")
          .where("organization_id", "=", slot("organizationId"))
          .where(toSqlName(lane), "=", slot("lane"))
          .where("next_attempt_at", "<=", slot("now"))
          .limit(slot("limit"))
          .as("some"),
      )
      .select(({ fn }) => fn.countAll<number>().as("total")),
  );
}

/** Prepares the statement that sets a queue's due time to its earliest job's due time. */
export function prepareSetDueTime(dialect: SqlDialect, { record, queue }: JobKind) {
  const db = dialect.db.withTables<AnyTables>();
  return prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .updateTable(toSqlTableName(queue))
      .set({
        due_at: db
          .selectFrom(toSqlTableName(record))
          .select(({ fn }) => fn.min("next_attempt_at").as("due_at"))
          .where("organization_id", "=", slot("organizationId")),
      })
      .where("organization_id", "=", slot("organizationId")),
  );
}

function prepareJobStatements(dialect: SqlDialect, kind: JobKind) {
  const { record, lane, subject } = kind;
  const db = dialect.db.withTables<AnyTables>();
  const table = toSqlTableName(record);

  const putJob = prepare((slot: Slot<Record<string, unknown>>) =>
    db
      .insertInto(table)
      .values({
        organization_id: slot("organizationId"),
        ...Object.fromEntries(Object.keys(record.columns).map((name) => [toSqlName(name), slot(name)])),
        attempts: 0,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["organization_id", ...record.key.map((name) => toSqlName(name))])
          .doUpdateSet({ revision: slot("revision") }),
      ),
  );

  const updateClaimed = (slot: Slot<JobKey>) =>
    db
      .updateTable(table)
      .where("organization_id", "=", slot("organizationId"))
      .where(toSqlName(lane), "=", slot("lane"))
      .where(toSqlName(subject), "=", slot("subject"))
      .where("lease", "=", slot("lease"));

  return {
    put: putJob,
    dueRows: prepareDueRows(dialect, kind),
    retry: prepare((slot: Slot<JobKey & { nextAttemptAt: number }>) =>
      updateClaimed(slot).set({
        attempts: sql<number>`attempts + 1`,
        next_attempt_at: slot("nextAttemptAt"),
        lease: null,
      }),
    ),
    finish: prepare((slot: Slot<JobKey & { revision: number }>) =>
      db
        .deleteFrom(table)
        .where("organization_id", "=", slot("organizationId"))
        .where(toSqlName(lane), "=", slot("lane"))
        .where(toSqlName(subject), "=", slot("subject"))
        .where("lease", "=", slot("lease"))
        .where("revision", "<=", slot("revision")),
    ),
    renew: prepare((slot: Slot<JobKey & { now: number }>) =>
      updateClaimed(slot).set({ attempts: 0, next_attempt_at: slot("now"), lease: null }),
    ),
    remove: prepare((slot: Slot<{ organizationId: string; lane: string; subjects: unknown }>) =>
      dialect.db
        .withTables<Record<string, Record<string, string>>>()
        .deleteFrom(table)
        .where("organization_id", "=", slot("organizationId"))
        .where(toSqlName(lane), "=", slot("lane"))
        .where(({ ref }) => dialect.isOneOf(ref(toSqlName(subject)), slot("subjects"))),
    ),
    setDueTime: prepareSetDueTime(dialect, kind),
  };
}

/** Tables of due rows, whose names are only known at run time. */
type DueTables = Record<string, Record<string, string | number | null>>;

/** A table whose rows become due. It has the columns `next_attempt_at` and `lease`. */
type DueTable<Row> = Pick<JobKind, "record" | "lane" | "subject"> & { readonly row?: Row };

export interface DueRows<Row> {
  /** Claims due rows in a lane, ordered by due time (longest overdue first), then by subject. */
  claim(session: Session, organizationId: string, lane: string, claim: Claim): Step<Row[]>;
}

/** Prepares the statements that workers use to claim a table's due rows. */
export function prepareDueRows<Row>(dialect: SqlDialect, table: DueTable<Row>): DueRows<Row>;
export function prepareDueRows(
  { db, isOneOf, listParameter }: SqlDialect,
  { record, lane, subject }: DueTable<object>,
): DueRows<object> {
  const tables = db.withTables<DueTables>();
  const name = toSqlTableName(record);
  const columns = Object.keys(record.columns).map((column) => `${toSqlName(column)} as ${column}`);
  const isLaneInKey = record.key.includes(lane);

  const findDue = prepare(
    (slot: Slot<{ organizationId: string; lane: string; now: number; limit: number }>) =>
      tables
        .selectFrom(name)
        .select(columns)
        .where("organization_id", "=", slot("organizationId"))
        .where(toSqlName(lane), "=", slot("lane"))
        .where("next_attempt_at", "<=", slot("now"))
        .orderBy("next_attempt_at")
        .orderBy(toSqlName(subject))
        .limit(slot("limit")),
  );

  type ClaimParameters = {
    organizationId: string;
    lane: string;
    subjects: unknown;
    lease: string;
    until: number;
  };
  const claimRows = prepare((slot: Slot<ClaimParameters>) => {
    const rows = tables
      .updateTable(name)
      .set({ lease: slot("lease"), next_attempt_at: slot("until") })
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref(toSqlName(subject)), slot("subjects")));
    return isLaneInKey ? rows.where(toSqlName(lane), "=", slot("lane")) : rows;
  });

  return {
    *claim(session, organizationId, lane, { lease, now, until, limit }) {
      const rows = yield* session.all(findDue({ organizationId, lane, now, limit }));
      if (rows.length === 0) return [];
      const subjects = listParameter(rows.map((row) => String(row[subject])));
      yield* session.change(claimRows({ organizationId, lane, subjects, lease, until }));
      return rows.map((row) => ({ ...row, nextAttemptAt: until }));
    },
  };
}
