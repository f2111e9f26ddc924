import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/* Conditions of indexes on message deliveries. A query must repeat the condition exactly, or the database doesn't use the index. */

/** True for a delivery that has not ended. */
export function isPendingDelivery(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('PENDING', 'SENDING')`;
}

/** True for a delivery that belongs to a message, except test deliveries. */
export function isOfMessage(kind: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} = 'message'`;
}

/** True for a delivery that counts towards a customer's frequency cap, because it has arrived or may have. */
export function isMessageThatCounts(
  kind: Expression<string>,
  status: Expression<string>,
  isUncertain: Expression<number>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} in ('message', 'automation')
    and (${status} in ('ACCEPTED', 'SENDING') or (${status} = 'PENDING' and ${isUncertain} = 1))`;
}
