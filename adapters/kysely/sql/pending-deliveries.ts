import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";

/** True of a delivery of a message that has not ended. An index has these alone, which a query has to name to the letter. */
export function isPendingDelivery(status: Expression<string>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${status} in ('PENDING', 'SENDING')`;
}
