import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/*
 * The deliveries of messages that an index has alone. A query has to name them to the letter, or it does not find the index.
 */

/** True of a delivery that has not ended. */
export function isPendingDelivery(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('PENDING', 'SENDING')`;
}

/** True of a delivery that a message has, which its tests are not. */
export function isOfMessage(kind: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} = 'message'`;
}

/** True of a delivery that counts against how many messages a customer gets: it has arrived, or may have. */
export function isMessageThatCounts(
  kind: Expression<string>,
  status: Expression<string>,
  isUncertain: Expression<number>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`${kind} in ('message', 'automation')
    and (${status} in ('ACCEPTED', 'SENDING') or (${status} = 'PENDING' and ${isUncertain} = 1))`;
}
