import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/* Conditions of indexes on automation runs. A query must repeat the condition exactly, or the database doesn't use the index. */

/** True for a run that is still waiting. */
export function isWaitingRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} = 'WAITING'`;
}

/** True for a run with a due time, regardless of its status. */
export function isDueRun(nextAttemptAt: Expression<number | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${nextAttemptAt} is not null`;
}

/** True for a run that has changed something or tried to. */
export function isTriedRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('DONE', 'FAILED')`;
}
