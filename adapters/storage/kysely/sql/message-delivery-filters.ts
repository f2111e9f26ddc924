import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/* Conditions of indexes on message deliveries. A query must repeat the condition exactly, or the database doesn't use the index. */

/** Returns a condition that is true for deliveries that have not ended. */
export function isPendingDelivery(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('PENDING', 'SENDING')`;
}

/** Returns a condition that is true for a message's deliveries, excluding test deliveries. */
export function isOfMessage(kind: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} = 'message'`;
}

/**
 * Returns a condition that is true for deliveries that count toward a customer's frequency cap. A delivery counts if it arrived or
 * may have arrived.
 */
export function isMessageThatCounts(
  kind: Expression<string>,
  status: Expression<string>,
  isUncertain: Expression<number>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} in ('message', 'automation')
    and (${status} in ('ACCEPTED', 'SENDING') or (${status} = 'PENDING' and ${isUncertain} = 1))`;
}
