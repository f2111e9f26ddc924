import { type CompiledQuery, sql } from "kysely";
import { isWaitingRun } from "../sql/automation-run-filters.js";
import type { SqlDialect } from "../sql/dialect.js";

/**
 * Builds statements that skip a copy's waiting automation runs and the emails that runs have queued. Otherwise, both databases
 * would execute them.
 */
export function skipWaitingRunsStatements({ db }: Pick<SqlDialect, "db">): CompiledQuery<unknown>[] {
  return [
    sql`update loyalty_automation_runs set status = 'SKIPPED', reason = 'canceled', next_attempt_at = null,
      updated_at = updated_at + 1 where ${isWaitingRun(sql.ref("status"))}`,
    sql`update loyalty_message_deliveries set status = 'SKIPPED', reason = 'canceled', next_attempt_at = null,
      updated_at = updated_at + 1 where kind = 'automation' and status = 'PENDING'`,
    sql`delete from loyalty_mail_jobs where exists (select 1 from loyalty_message_deliveries delivery
      where delivery.organization_id = loyalty_mail_jobs.organization_id
      and delivery.id = loyalty_mail_jobs.delivery_id
      and delivery.kind = 'automation' and delivery.status = 'SKIPPED')`,
    sql`update loyalty_mail_queues set due_at = (select min(next_attempt_at) from loyalty_mail_jobs job
      where job.organization_id = loyalty_mail_queues.organization_id)`,
  ].map((statement) => statement.compile(db));
}
