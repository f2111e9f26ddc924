import { type RawBuilder, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { parseSetVersions } from "../change/organizations.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowProblem } from "./finding.js";

/** A counter and its minimum value. */
interface Counter {
  readonly table: string;
  readonly column: string;
  readonly name: string;
  readonly minimum: RawBuilder<unknown>;
}

/**
 * Creates the check for counters. Each counter must be at least as high as every number in use, and the counts of pending
 * deliveries must be correct.
 */
export function createCounterCheck(dialect: SqlDialect) {
  const { db, eventLocator } = dialect;
  const createOrganizationCounter = (column: string, minimum: RawBuilder<unknown>): Counter => ({
    table: "organizations",
    column,
    name: column,
    minimum,
  });

  const selectEvents = (organizationId: string) => eventLocator.between(sql`${organizationId}`, sql`0`, null);

  const listCounters = (organizationId: string): readonly Counter[] => [
    createOrganizationCounter(
      "next_user_ordinal",
      sql`select max(ordinal) + 1 from loyalty_users where organization_id = ${organizationId}`,
    ),
    createOrganizationCounter(
      "next_tag_ordinal",
      sql`select max(ordinal) + 1 from (
        select ordinal from loyalty_user_tags where organization_id = ${organizationId}
        union all select ordinal from loyalty_tag_removals where organization_id = ${organizationId}) known`,
    ),
    createOrganizationCounter(
      // Events are removed over time, but readers that have passed an event still hold its position.
      "newest_event_position",
      sql`select max(position) from (
        select max(position) as position from loyalty_events where ${selectEvents(organizationId)}
        union all select max(position) from loyalty_webhook_endpoints where organization_id = ${organizationId}
        union all select max(last_position) from loyalty_webhook_endpoints where organization_id = ${organizationId}
        union all select position from loyalty_segment_followers where organization_id = ${organizationId}
        union all select position from loyalty_wallet_queues where organization_id = ${organizationId}) known`,
    ),
    createOrganizationCounter(
      "newest_event_minute",
      sql`select max(created_at) / 60000 from loyalty_events where ${selectEvents(organizationId)}`,
    ),
    {
      table: "wallet_queues",
      column: "revision",
      name: "wallet_queues.revision",
      minimum: sql`select max(revision) from loyalty_wallet_cards where organization_id = ${organizationId}`,
    },
  ];

  const isLow = ({ column, minimum }: Counter, organizationId: string) => sql`
    organization_id = ${organizationId} and ${sql.ref(column)} < (${minimum})`;

  const selectOutdatedSets = (organizationId: string) => sql<{ setId: number; newest: number }>`
    select sets.set_id as "setId", cast(max(chunk.version) as double precision) as newest
    from loyalty_segment_sets sets join loyalty_segment_chunks chunk
      on chunk.organization_id = sets.organization_id and chunk.set_id = sets.set_id
    where sets.organization_id = ${organizationId}
    group by sets.set_id, sets.version having sets.version < max(chunk.version)`;

  /** Returns whether a chunk has a version that neither its set's row nor the organization's row has. */
  function* hasLowSetVersion(session: ReadSession, organizationId: string): Step<boolean> {
    const row = db
      .selectFrom("loyalty_organizations")
      .select("set_versions")
      .where("organization_id", "=", organizationId);
    const versions = parseSetVersions((yield* findFirst(session, row.compile()))?.set_versions ?? null);
    const sets = yield* session.all(selectOutdatedSets(organizationId).compile(db));
    return sets.some(({ setId, newest }) => (versions.get(setId) ?? 0) < newest);
  }

  /**
   * The recorded newest user, which determines the next user's ordinal, must be the last existing user, or a later user who was
   * deleted.
   */
  const newestUserMismatch = (organizationId: string) => sql`
    from loyalty_users last join loyalty_organizations known on known.organization_id = last.organization_id
    where last.organization_id = ${organizationId}
      and last.ordinal = (select max(ordinal) from loyalty_users where organization_id = ${organizationId})
      and (last.created_at > coalesce(known.newest_user_created_at, -1)
        or (last.ordinal + 1 >= known.next_user_ordinal
          and (last.id is distinct from known.newest_user_id
            or last.created_at is distinct from known.newest_user_created_at)))`;

  const deliveries = sql`from loyalty_webhook_deliveries deliveries
    where deliveries.organization_id = loyalty_webhook_endpoints.organization_id
    and deliveries.endpoint_id = loyalty_webhook_endpoints.id and deliveries.next_attempt_at is not null`;

  const isMiscounted = (organizationId: string) => sql`
    organization_id = ${organizationId} and (pending <> (select count(*) ${deliveries})
      or coalesce(due_at, -1) <> coalesce((select min(next_attempt_at) ${deliveries}), -1))`;

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const wrongCounters: string[] = [];
      for (const counter of listCounters(organizationId)) {
        const low = sql`select 1 from ${sql.table(`loyalty_${counter.table}`)}
          where ${isLow(counter, organizationId)} limit 1`;
        if ((yield* findFirst(session, low.compile(db))) !== null) wrongCounters.push(counter.name);
      }
      if (yield* hasLowSetVersion(session, organizationId)) wrongCounters.push("segment_sets.version");
      const last = sql`select last.id ${newestUserMismatch(organizationId)}`;
      if ((yield* findFirst(session, last.compile(db))) !== null) wrongCounters.push("newest_user");
      const endpoints = sql<{
        id: string;
      }>`select id from loyalty_webhook_endpoints where ${isMiscounted(organizationId)}`;
      for (const { id } of yield* session.all(endpoints.compile(db))) wrongCounters.push(`pending of ${id}`);
      return wrongCounters;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const last = sql<{ id: string; createdAt: number }>`
        select last.id, last.created_at as "createdAt" ${newestUserMismatch(organizationId)}`;
      const user = yield* findFirst(session, last.compile(db));
      if (user !== null) {
        const newestUser = { newest_user_id: user.id, newest_user_created_at: user.createdAt };
        const set = db.updateTable("loyalty_organizations").set(newestUser);
        yield* session.change(set.where("organization_id", "=", organizationId).compile());
      }
      for (const counter of listCounters(organizationId)) {
        const update = sql`update ${sql.table(`loyalty_${counter.table}`)} set ${sql.ref(counter.column)} = (${counter.minimum})
          where ${isLow(counter, organizationId)}`;
        yield* session.change(update.compile(db));
      }
      for (const { setId, newest } of yield* session.all(selectOutdatedSets(organizationId).compile(db))) {
        const update = db.updateTable("loyalty_segment_sets").set({ version: newest });
        yield* session.change(
          update.where("organization_id", "=", organizationId).where("set_id", "=", setId).compile(),
        );
      }
      const update = sql`update loyalty_webhook_endpoints set
        pending = (select count(*) ${deliveries}), due_at = (select min(next_attempt_at) ${deliveries})
        where ${isMiscounted(organizationId)}`;
      yield* session.change(update.compile(db));
    },
  };
}
