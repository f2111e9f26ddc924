import type { Step } from "../../../../src/base/concurrency/step.js";
import type { Claim, JobKind } from "../../../../src/storage/jobs.js";
import { prepare, type Session, type Slot } from "../session/session.js";
import { sqlName, sqlTableName } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

/** Tables whose names are only known at run time. */
type AnyTables = Record<string, Record<string, string | number | null>>;

/** A table whose rows become due. It has the columns `next_attempt_at` and `lease`. */
type DueTable<Row> = Pick<JobKind, "record" | "lane" | "subject"> & { readonly row?: Row };

export interface DueRows<Row> {
  /** Claims due rows in a lane, ordered by due time (longest overdue first), then by subject. */
  claim(session: Session, organizationId: string, lane: string, claim: Claim): Step<Row[]>;
}

/** Prepares the statements that workers use to claim a table's due rows. */
export function dueRows<Row>(dialect: SqlDialect, table: DueTable<Row>): DueRows<Row>;
export function dueRows(
  { db, isOneOf, listParameter }: SqlDialect,
  { record, lane, subject }: DueTable<object>,
): DueRows<object> {
  const tables = db.withTables<AnyTables>();
  const name = sqlTableName(record);
  const columns = Object.keys(record.columns).map((column) => `${sqlName(column)} as ${column}`);
  const isLaneInKey = record.key.includes(lane);

  const findDue = prepare(
    (slot: Slot<{ organizationId: string; lane: string; now: number; limit: number }>) =>
      tables
        .selectFrom(name)
        .select(columns)
        .where("organization_id", "=", slot("organizationId"))
        .where(sqlName(lane), "=", slot("lane"))
        .where("next_attempt_at", "<=", slot("now"))
        .orderBy("next_attempt_at")
        .orderBy(sqlName(subject))
        .limit(slot("limit")),
  );

  type Take = { organizationId: string; lane: string; subjects: unknown; lease: string; until: number };
  const take = prepare((slot: Slot<Take>) => {
    const rows = tables
      .updateTable(name)
      .set({ lease: slot("lease"), next_attempt_at: slot("until") })
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref(sqlName(subject)), slot("subjects")));
    return isLaneInKey ? rows.where(sqlName(lane), "=", slot("lane")) : rows;
  });

  return {
    *claim(session, organizationId, lane, { lease, now, until, limit }) {
      const rows = yield* session.all(findDue({ organizationId, lane, now, limit }));
      if (rows.length === 0) return [];
      const subjects = listParameter(rows.map((row) => String(row[subject])));
      yield* session.change(take({ organizationId, lane, subjects, lease, until }));
      return rows.map((row) => ({ ...row, nextAttemptAt: until }));
    },
  };
}
