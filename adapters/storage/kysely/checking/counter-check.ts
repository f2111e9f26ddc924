import { type Expression, type RawBuilder, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import {
  clearDeferredCounters,
  deferredVersions,
  mergedRows,
  newestPositionExpression,
} from "../change/deferred-counters.js";
import { segmentChunks } from "../segments/segment-chunks.js";
import { noSets, type SetVersions } from "../segments/set-versions.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { Tables } from "../sql/tables.js";
import type { RowProblem } from "./finding.js";

/** The counters that the newest event carries instead of its organization's row. */
type Said = Pick<
  Tables["loyalty_organizations"],
  "next_user_ordinal" | "newest_user_id" | "newest_user_created_at"
>;

/** A counter and its minimum value. */
interface Counter {
  readonly table: string;
  readonly column: string;
  readonly name: string;
  /** The expression for the counter, if it isn't the column itself. */
  readonly value?: Expression<number>;
  readonly least: RawBuilder<unknown>;
}

/**
 * Creates the check for counters. Each counter must be at least as high as every number in use, and the counts of pending
 * deliveries must be correct.
 */
export function counterCheck(dialect: SqlDialect) {
  const { db, eventPlaces, locksOrganizations } = dialect;
  const chunks = segmentChunks(dialect);
  const whole = mergedRows(dialect);
  const versions = deferredVersions(dialect);
  const clearDeferred = clearDeferredCounters(dialect);
  const ofOrganization = (
    column: string,
    least: RawBuilder<unknown>,
    value: Expression<number> = sql.ref<number>(column),
  ): Counter => ({
    table: "organizations",
    column,
    name: column,
    value,
    least,
  });

  const ofEvents = (organizationId: string) => eventPlaces.between(sql`${organizationId}`, sql`0`, null);

  /**
   * Lists the counters to check.
   * @param said the newest event's counters, which replace the row's.
   * @param sets the newest event's versions of sets.
   */
  const counters = (organizationId: string, said: Said | null, sets: SetVersions): readonly Counter[] => [
    ofOrganization(
      "next_user_ordinal",
      sql`select max(ordinal) + 1 from loyalty_users where organization_id = ${organizationId}`,
      said === null ? undefined : sql.lit(said.next_user_ordinal),
    ),
    ofOrganization(
      "next_tag_ordinal",
      sql`select max(ordinal) + 1 from (
        select ordinal from loyalty_user_tags where organization_id = ${organizationId}
        union all select ordinal from loyalty_tag_removals where organization_id = ${organizationId}) known`,
    ),
    ofOrganization(
      // Events are removed over time, but readers that have passed an event still hold its position.
      "newest_event_position",
      sql`select max(position) from (
        select max(position) as position from loyalty_events where ${ofEvents(organizationId)}
        union all select max(position) from loyalty_webhook_endpoints where organization_id = ${organizationId}
        union all select max(last_position) from loyalty_webhook_endpoints where organization_id = ${organizationId}
        union all select position from loyalty_segment_followers where organization_id = ${organizationId}
        union all select position from loyalty_wallet_queues where organization_id = ${organizationId}) known`,
      newestPositionExpression(dialect, "loyalty_organizations"),
    ),
    ofOrganization(
      "newest_event_minute",
      sql`select max(created_at) / 60000 from loyalty_events where ${ofEvents(organizationId)}`,
    ),
    {
      table: "wallet_queues",
      column: "revision",
      name: "wallet_queues.revision",
      least: sql`select max(revision) from loyalty_wallet_cards where organization_id = ${organizationId}`,
    },
    {
      table: "segment_sets",
      column: "version",
      name: "segment_sets.version",
      ...(sets.size > 0 && { value: buildVersionExpression(sets) }),
      least: sql`select max(chunk.version) from loyalty_segment_chunks chunk
        where chunk.organization_id = ${organizationId} and chunk.set_id = loyalty_segment_sets.set_id`,
    },
  ];

  const isLow = ({ column, value = sql.ref(column), least }: Counter, organizationId: string) => sql`
    organization_id = ${organizationId} and ${value} < (${least})`;

  /**
   * The recorded newest user, which determines the next user's ordinal, must be the last existing user, or a later user who was
   * deleted.
   */
  const newest = (organizationId: string, known: RawBuilder<unknown>) => sql`
    from loyalty_users last, (${known}) known
    where last.organization_id = ${organizationId}
      and last.ordinal = (select max(ordinal) from loyalty_users where organization_id = ${organizationId})
      and (last.created_at > coalesce(known.newest_user_created_at, -1)
        or (last.ordinal + 1 >= known.next_user_ordinal
          and (last.id is distinct from known.newest_user_id
            or last.created_at is distinct from known.newest_user_created_at)))`;

  const inRow = (organizationId: string) => sql`
    select next_user_ordinal, newest_user_id, newest_user_created_at from loyalty_organizations
    where organization_id = ${organizationId}`;

  const inEvent = (said: Said) => sql`
    select ${said.next_user_ordinal} as next_user_ordinal, ${said.newest_user_id} as newest_user_id,
      ${said.newest_user_created_at} as newest_user_created_at`;

  const deliveries = sql`from loyalty_webhook_deliveries deliveries
    where deliveries.organization_id = loyalty_webhook_endpoints.organization_id
    and deliveries.endpoint_id = loyalty_webhook_endpoints.id and deliveries.next_attempt_at is not null`;

  const miscounted = (organizationId: string) => sql`
    organization_id = ${organizationId} and (pending <> (select count(*) ${deliveries})
      or coalesce(due_at, -1) <> coalesce((select min(next_attempt_at) ${deliveries}), -1))`;

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const found: string[] = [];
      const said = locksOrganizations ? null : yield* whole(session, organizationId);
      const sets = yield* versions(session, organizationId);
      for (const counter of counters(organizationId, said, sets)) {
        const low = sql`select 1 from ${sql.table(`loyalty_${counter.table}`)}
          where ${isLow(counter, organizationId)} limit 1`;
        if ((yield* findFirst(session, low.compile(db))) !== null) found.push(counter.name);
      }
      const known = said === null ? inRow(organizationId) : inEvent(said);
      const last = sql`select last.id ${newest(organizationId, known)}`;
      if ((yield* findFirst(session, last.compile(db))) !== null) found.push("newest_user");
      const endpoints = sql<{
        id: string;
      }>`select id from loyalty_webhook_endpoints where ${miscounted(organizationId)}`;
      for (const { id } of yield* session.all(endpoints.compile(db))) found.push(`pending of ${id}`);
      return found;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const said = yield* whole(session, organizationId);
      yield* chunks.raise(session, organizationId, yield* versions(session, organizationId));
      if (said !== null) {
        const row = db.updateTable("loyalty_organizations").set(said);
        yield* session.change(row.where("organization_id", "=", organizationId).compile());
      }
      yield* clearDeferred(session, organizationId);
      const last = sql<{ id: string; createdAt: number }>`
        select last.id, last.created_at as "createdAt" ${newest(organizationId, inRow(organizationId))}`;
      const user = yield* findFirst(session, last.compile(db));
      if (user !== null) {
        const known = { newest_user_id: user.id, newest_user_created_at: user.createdAt };
        const set = db.updateTable("loyalty_organizations").set(known);
        yield* session.change(set.where("organization_id", "=", organizationId).compile());
      }
      for (const counter of counters(organizationId, null, noSets)) {
        const raised = sql`update ${sql.table(`loyalty_${counter.table}`)} set ${sql.ref(counter.column)} = (${counter.least})
          where ${isLow(counter, organizationId)}`;
        yield* session.change(raised.compile(db));
      }
      const counted = sql`update loyalty_webhook_endpoints set
        pending = (select count(*) ${deliveries}), due_at = (select min(next_attempt_at) ${deliveries})
        where ${miscounted(organizationId)}`;
      yield* session.change(counted.compile(db));
    },
  };
}

/** Returns an expression for a set's version that includes the newest event's versions. */
function buildVersionExpression(sets: SetVersions): RawBuilder<number> {
  const said = [...sets].map(([setId, version]) => sql`when ${setId} then ${version}`);
  return sql`max(version, case set_id ${sql.join(said, sql` `)} else 0 end)`;
}
