import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/* Conditions of indexes on automation runs. A query must repeat the condition exactly, or the database doesn't use the index. */

/** Builds a condition that is true for runs that are still waiting. */
export function isWaitingRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} = 'WAITING'`;
}

/** Builds a condition that is true for runs with a due time, regardless of their status. */
export function isDueRun(nextAttemptAt: Expression<number | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${nextAttemptAt} is not null`;
}

/** Builds a condition that is true for runs that attempted a change, whether or not they succeeded. */
export function isTriedRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('DONE', 'FAILED')`;
}
