import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/*
 * The runs of automations that an index has alone. A query has to name them to the letter, or it does not find the index.
 */

/** True of a run that is still to be done. */
export function isWaitingRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} = 'WAITING'`;
}

/** True of a run that will be due, whatever its status. */
export function isDueRun(nextAttemptAt: Expression<number | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${nextAttemptAt} is not null`;
}

/** True of a run that has changed something, or tried to. */
export function isTriedRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('DONE', 'FAILED')`;
}
