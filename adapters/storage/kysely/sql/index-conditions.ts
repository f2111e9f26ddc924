import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/* Conditions of indexes. A query must repeat the condition exactly, or the database doesn't use the index. */

/** Builds a condition that is true for deliveries that are waiting or being sent. */
export function isPendingDelivery(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('PENDING', 'SENDING')`;
}

/** Builds a condition that is true for deliveries of messages, excluding test deliveries and deliveries from automations. */
export function isMessageDelivery(kind: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} = 'message'`;
}

/**
 * Builds a condition that is true for deliveries that count toward a customer's frequency cap. A delivery counts if the message
 * arrived or might have arrived.
 */
export function countsTowardCap(
  kind: Expression<string>,
  status: Expression<string>,
  isUncertain: Expression<number>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} in ('message', 'automation')
    and (${status} in ('ACCEPTED', 'SENDING') or (${status} = 'PENDING' and ${isUncertain} = 1))`;
}

/** Builds a condition that is true for runs that are still waiting. */
export function isWaitingRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} = 'WAITING'`;
}

/** Builds a condition that is true for runs with a due time, regardless of their status. */
export function isDueRun(nextAttemptAt: Expression<number | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${nextAttemptAt} is not null`;
}

/** Builds a condition that is true for runs that attempted a change, whether or not they succeeded. */
export function isAttemptedRun(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('DONE', 'FAILED')`;
}
