import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { first, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { Difference } from "./finding.js";

/** Checks that an organization knows whether its segments emit events, and that those that do not have no members kept. */
export function savedSegmentCheck({ db }: Pick<SqlDialect, "db">) {
  const unnamed = (organizationId: string) => sql`organization_id = ${organizationId}
    and (emitting_segments is not null) <> exists (select 1 from loyalty_saved_segments segments
      where segments.organization_id = ${organizationId} and segments.emits_events = 1)`;

  const useless = (organizationId: string) => sql`organization_id = ${organizationId}
    and segment_id in (select id from loyalty_saved_segments
      where organization_id = ${organizationId} and emits_events = 0)`;

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly Difference[]> {
      const found: string[] = [];
      const wrong = sql`select 1 from loyalty_organizations where ${unnamed(organizationId)}`;
      if ((yield* first(session, wrong.compile(db))) !== null) found.push("emitting_segments");
      const kept = sql<{ id: string }>`select distinct segment_id as id from loyalty_segment_slices
        where ${useless(organizationId)} order by 1`;
      for (const { id } of yield* session.all(kept.compile(db))) found.push(`members of ${id}`);
      return found;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      yield* session.change(
        sql`update loyalty_organizations set emitting_segments =
          case when emitting_segments is null then ${randomUUID()} end where ${unnamed(organizationId)}`.compile(
          db,
        ),
      );
      yield* session.change(
        sql`delete from loyalty_segment_slices where ${useless(organizationId)}`.compile(db),
      );
    },
  };
}
