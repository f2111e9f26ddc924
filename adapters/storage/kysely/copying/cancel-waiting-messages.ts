import { type CompiledQuery, sql } from "kysely";
import type { SqlDialect } from "../sql/dialect.js";

/**
 * Builds statements that cancel a copy's scheduled and partly sent messages, because both databases would otherwise send them. The
 * copy's worker then finishes the cancellation, as it does for any canceled message.
 */
export function canceledMessages({ db }: Pick<SqlDialect, "db">): CompiledQuery<unknown>[] {
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
