import { type RawBuilder, sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { first, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { Found } from "./finding.js";

/** Whether the numbers that are given next are above those that are given, and what is pending is what is counted. */
export function counterCheck({ db }: SqlDialect) {
  /** What a counter of an organization must be at least. */
  const least = (organizationId: string): Readonly<Record<string, RawBuilder<unknown>>> => ({
    next_user_ordinal: sql`select max(ordinal) + 1 from loyalty_users where organization_id = ${organizationId}`,
    next_tag_ordinal: sql`select max(ordinal) + 1 from loyalty_user_tags where organization_id = ${organizationId}`,
    newest_event_position: sql`select max(position) from loyalty_events where organization_id = ${organizationId}`,
  });

  const deliveries = sql`from loyalty_webhook_deliveries deliveries
    where deliveries.organization_id = loyalty_webhook_endpoints.organization_id
    and deliveries.endpoint_id = loyalty_webhook_endpoints.id and deliveries.next_attempt_at is not null`;

  const miscounted = (organizationId: string) => sql`
    organization_id = ${organizationId} and (pending <> (select count(*) ${deliveries})
      or coalesce(due_at, -1) <> coalesce((select min(next_attempt_at) ${deliveries}), -1))`;

  return {
    *find(session: ReadSession, organizationId: string): Step<Found> {
      const found: string[] = [];
      for (const [counter, value] of Object.entries(least(organizationId))) {
        const low = sql`select 1 from loyalty_organizations
          where organization_id = ${organizationId} and ${sql.ref(counter)} < (${value})`;
        if ((yield* first(session, low.compile(db))) !== null) found.push(counter);
      }
      const endpoints = sql<{
        id: string;
      }>`select id from loyalty_webhook_endpoints where ${miscounted(organizationId)}`;
      for (const { id } of yield* session.all(endpoints.compile(db))) found.push(`pending of ${id}`);
      return found;
    },

    *mend(session: Session, organizationId: string): Step<void> {
      for (const [counter, value] of Object.entries(least(organizationId))) {
        const raised = sql`update loyalty_organizations set ${sql.ref(counter)} = (${value})
          where organization_id = ${organizationId} and ${sql.ref(counter)} < (${value})`;
        yield* session.change(raised.compile(db));
      }
      const counted = sql`update loyalty_webhook_endpoints set
        pending = (select count(*) ${deliveries}), due_at = (select min(next_attempt_at) ${deliveries})
        where ${miscounted(organizationId)}`;
      yield* session.change(counted.compile(db));
    },
  };
}
