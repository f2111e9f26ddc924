import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadSession, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowProblem } from "./finding.js";

/** Creates the check for stored segment members. Only segments that emit events can have any. */
export function savedSegmentCheck({ db }: Pick<SqlDialect, "db">) {
  const useless = (organizationId: string) => sql`organization_id = ${organizationId}
    and segment_id in (select id from loyalty_saved_segments
      where organization_id = ${organizationId} and emits_events = 0)`;

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const kept = sql<{ id: string }>`select distinct segment_id as id from loyalty_segment_slices
        where ${useless(organizationId)} order by 1`;
      return (yield* session.all(kept.compile(db))).map(({ id }) => `members of ${id}`);
    },

    *repair(session: Session, organizationId: string): Step<void> {
      yield* session.change(
        sql`delete from loyalty_segment_slices where ${useless(organizationId)}`.compile(db),
      );
    },
  };
}
