import { type CompiledQuery, sql } from "kysely";
import { yieldIfDue } from "../../../../src/base/concurrency/event-loop.js";
import { awaitInStep, runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { prepareBlockUsers, toBlock } from "../contacts/search-blocks.js";
import { findFirst, type ReadSession, type Session, type SqlDatabase } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { isWaitingRun } from "../sql/index-conditions.js";
import { computeChecksum, RowTable, type TableChecksum } from "./row-table.js";

/** A SQL database, together with the dialect for building its queries. */
export interface SqlAccess {
  readonly dialect: SqlDialect;
  readonly database: SqlDatabase;
}

/** A copy's progress, reported after each batch of rows. */
export interface CopyStep {
  /** The name of the table that is being copied, such as `loyalty_users`. */
  readonly table: string;
  /** The number of this table's rows that the current run has copied so far. */
  readonly rows: number;
}

export interface CopyOptions {
  /** Called after each batch of rows. Must not throw. */
  readonly onProgress?: (step: CopyStep) => void;
  /**
   * Whether the copy sends scheduled and partly sent messages and continues waiting automation runs. If this is false, the messages
   * become `CANCELED` in the copy and the runs `SKIPPED`, so that customers don't receive the same messages from both databases.
   * Default: false.
   */
  readonly withPending?: boolean;
}

/** Number of blocks of users that are indexed per transaction. */
const BLOCKS_PER_TRANSACTION = 8;

/**
 * Copies an entire database into another one. The target's tables must have this release's schema and must either be empty or
 * contain only an interrupted copy. All rows are read from a single snapshot.
 * @returns each table's checksum. The checksums match both databases until the copy's pending messages and runs are canceled.
 * @throws if the target contains other data, or if the copied rows differ from the source's.
 */
export async function copyTables(
  from: SqlAccess,
  to: SqlAccess,
  { onProgress, withPending }: Required<CopyOptions>,
): Promise<TableChecksum[]> {
  const progress = new CopyProgress(to.dialect);
  await to.database.transaction((session) => progress.begin(session));
  const checksums = await from.database.snapshot(function* (source) {
    const tableChecksums: TableChecksum[] = [];
    for (const table of RowTable.all) yield* copyTable(table, source, { from, to, progress, onProgress });
    for (const table of RowTable.all)
      tableChecksums.push(yield* computeChecksum(from.dialect, source, table));
    return tableChecksums;
  });
  await indexAllUsers(to, progress);
  await to.database.snapshot(function* (session) {
    for (const [index, table] of RowTable.all.entries()) {
      const copied = yield* computeChecksum(to.dialect, session, table);
      assertSameChecksum(checksums[index], copied);
    }
  });
  await to.database.transaction(function* (session) {
    const cancellations = withPending
      ? []
      : [...buildMessageCancellations(to.dialect), ...buildRunSkips(to.dialect)];
    for (const statement of cancellations) yield* session.change(statement);
    yield* progress.end(session);
  });
  return checksums;
}

/** A copy from one database to another, and how far it is. */
interface RunningCopy {
  readonly from: SqlAccess;
  readonly to: SqlAccess;
  readonly progress: CopyProgress;
  readonly onProgress: (step: CopyStep) => void;
}

/** @param source a snapshot of the database that is copied. */
function* copyTable(
  table: RowTable,
  source: ReadSession,
  { from, to, progress, onProgress }: RunningCopy,
): Step<void> {
  let after = yield* awaitInStep(to.database.snapshot((session) => progress.load(session, table.name)));
  for (let copied = 0; ; ) {
    const rows = yield* table.readNext(from.dialect, source, after);
    const last = rows.at(-1);
    if (last === undefined) return;
    const lastKey = table.getKey(last);
    yield* awaitInStep(
      to.database.transaction(function* (session) {
        yield* to.dialect.insertRawRows(session, table.name, rows);
        yield* progress.save(session, table.name, lastKey);
      }),
    );
    after = lastKey;
    copied += rows.length;
    onProgress({ table: table.name, rows: copied });
    yield* yieldIfDue();
  }
}

/** Adds the users of all organizations to the search index, block by block. */
async function indexAllUsers({ dialect, database }: SqlAccess, progress: CopyProgress): Promise<void> {
  const selectBlock = prepareBlockUsers(dialect);
  const organizations = dialect.db
    .selectFrom("loyalty_organizations")
    .select(["organization_id as id", "next_user_ordinal as next"]);
  for (const { id, next } of await runStep(database.session.all(organizations.compile()))) {
    const part = `search of ${id}`;
    for (let isDone = false; !isDone; ) {
      isDone = await database.transaction(function* (session) {
        const [reached = 0] = (yield* progress.load(session, part)) ?? [];
        const begin = Number(reached);
        const end = Math.min(begin + BLOCKS_PER_TRANSACTION, toBlock(next));
        for (let block = begin; block < end; block += 1) {
          const users = yield* selectBlock(session, id, block);
          if (users.length > 0) yield* dialect.search.add(session, id, block, users);
        }
        yield* progress.save(session, part, [end]);
        return end === toBlock(next);
      });
    }
  }
}

function assertSameChecksum(source: TableChecksum | undefined, copied: TableChecksum): void {
  if (source?.rows === copied.rows && source.checksum === copied.checksum) return;
  throw new Error(
    `${copied.table} has ${copied.rows} rows that don't match the ${source?.rows} rows in the source: the source changed ` +
      "after the copy started, or another program wrote to the target; empty the target and start again",
  );
}

/**
 * Builds statements that skip a copy's waiting automation runs and the emails that runs have queued. Otherwise, both databases
 * would execute them.
 */
function buildRunSkips({ db }: Pick<SqlDialect, "db">): CompiledQuery<unknown>[] {
  return [
    sql`update loyalty_automation_runs set status = 'SKIPPED', reason = 'canceled', next_attempt_at = null,
      updated_at = updated_at + 1 where ${isWaitingRun(sql.ref("status"))}`,
    sql`update loyalty_message_deliveries set status = 'SKIPPED', reason = 'canceled', next_attempt_at = null,
      updated_at = updated_at + 1 where kind = 'automation' and status = 'PENDING'`,
    sql`delete from loyalty_mail_jobs where exists (select 1 from loyalty_message_deliveries delivery
      where delivery.organization_id = loyalty_mail_jobs.organization_id
      and delivery.id = loyalty_mail_jobs.delivery_id
      and delivery.kind = 'automation' and delivery.status = 'SKIPPED')`,
    sql`update loyalty_mail_queues set due_at = (select min(next_attempt_at) from loyalty_mail_jobs job
      where job.organization_id = loyalty_mail_queues.organization_id)`,
  ].map((statement) => statement.compile(db));
}

/**
 * Stores a copy's progress in the target database so that an interrupted copy can resume. The progress is written in the same
 * transactions as the copied rows.
 */
class CopyProgress {
  constructor(private readonly dialect: SqlDialect) {}

  /**
   * Begins a copy, or resumes an interrupted one.
   * @throws if the target contains data that an interrupted copy didn't write.
   */
  *begin(session: Session): Step<void> {
    if (yield* this.hasBegun(session)) return;
    for (const { name } of RowTable.all) {
      const anyRow = sql`select 1 as one from ${sql.table(name)} limit 1`.compile(this.dialect.db);
      if ((yield* findFirst(session, anyRow)) === null) continue;
      throw new Error(`the database to copy to isn't empty: ${name} contains rows`);
    }
    const { text } = this.dialect.columns;
    yield* session.change(
      this.dialect.db.schema
        .createTable("loyalty_copying")
        .addColumn("part", text, (column) => column.primaryKey())
        .addColumn("reached", text, (column) => column.notNull())
        .compile(),
    );
  }

  /** Returns the key of the last copied row in a part of the copy, or `null` if that part hasn't begun. */
  *load(session: ReadSession, part: string): Step<unknown[] | null> {
    const row = yield* findFirst(
      session,
      this.#compile<{ reached: string }>(sql`select reached from loyalty_copying where part = ${part}`),
    );
    return row === null ? null : JSON.parse(row.reached);
  }

  *save(session: Session, part: string, key: readonly unknown[]): Step<void> {
    const reached = JSON.stringify(key);
    yield* session.change(
      this.#compile(sql`insert into loyalty_copying (part, reached) values (${part}, ${reached})
        on conflict (part) do update set reached = excluded.reached`),
    );
  }

  *end(session: Session): Step<void> {
    yield* session.change(this.dialect.db.schema.dropTable("loyalty_copying").compile());
  }

  *hasBegun(session: ReadSession): Step<boolean> {
    return (yield* findFirst(session, this.dialect.selectTable("loyalty_copying"))) !== null;
  }

  #compile<Row>(query: ReturnType<typeof sql<Row>>): CompiledQuery<Row> {
    return query.compile(this.dialect.db);
  }
}

/**
 * Builds statements that cancel a copy's scheduled and partly sent messages, because both databases would otherwise send them. The
 * copy's worker then finishes the cancellation, as it does for any canceled message.
 */
export function buildMessageCancellations({ db }: Pick<SqlDialect, "db">): CompiledQuery<unknown>[] {
  return [
    sql`update loyalty_messages set status = 'CANCELED', updated_at = updated_at + 1
      where status in ('SCHEDULED', 'SENDING')`,
    sql`update loyalty_message_jobs set next_attempt_at = created_at, lease = null
      where exists (select 1 from loyalty_messages message
        where message.organization_id = loyalty_message_jobs.organization_id
        and message.id = loyalty_message_jobs.message_id
        and message.status = 'CANCELED' and message.is_settled = 0)`,
    sql`update loyalty_message_queues set due_at = (select min(next_attempt_at) from loyalty_message_jobs job
      where job.organization_id = loyalty_message_queues.organization_id)`,
  ].map((statement) => statement.compile(db));
}
