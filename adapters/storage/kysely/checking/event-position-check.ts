import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { ReadSession, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

interface Misplaced {
  readonly id: string;
  /** The position of the delivery's event, or `null` if the outbox no longer contains the event. */
  readonly position: number | null;
}

/**
 * Creates the check for event positions stored in webhook deliveries. The check skips a delivery if its event is no longer in the
 * outbox.
 */
export function eventPositionCheck({ db, eventPlaces }: SqlDialect) {
  const ofDelivery = eventPlaces.at(sql`delivery.organization_id`, sql`delivery.event_position`, "source");

  /** Scans the events once, because no index contains their IDs. */
  const elsewhere = (organizationId: string) => sql<{
    id: string;
    position: number;
  }>`with named as materialized (
      select id, event_id from loyalty_webhook_deliveries delivery
      where organization_id = ${organizationId} and not exists (
        select 1 from loyalty_events source where ${ofDelivery} and source.id = delivery.event_id))
    select named.id as id, cast(min(source.position) as double precision) as position
    from loyalty_events source cross join named
    where ${eventPlaces.between(sql`${organizationId}`, sql`0`, null, "source")} and named.event_id = source.id
    group by named.id order by named.id`;

  const ofAnother = (organizationId: string) => sql<{ id: string }>`select delivery.id as id
    from loyalty_webhook_deliveries delivery join loyalty_events source on ${ofDelivery}
    where delivery.organization_id = ${organizationId} and source.id <> delivery.event_id order by delivery.id`;

  function* misplaced(session: ReadSession, organizationId: string): Step<readonly Misplaced[]> {
    const placed: readonly Misplaced[] = yield* session.all(elsewhere(organizationId).compile(db));
    const known = new Set(placed.map(({ id }) => id));
    const others = yield* session.all(ofAnother(organizationId).compile(db));
    return [...placed, ...others.flatMap(({ id }) => (known.has(id) ? [] : [{ id, position: null }]))];
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly string[]> {
      const wrong = yield* misplaced(session, organizationId);
      return wrong.map(({ id }) => `webhook_deliveries.event_position of ${id}`);
    },

    *repair(session: Session, organizationId: string): Step<void> {
      for (const { id, position } of yield* misplaced(session, organizationId)) {
        const repaired = db.updateTable("loyalty_webhook_deliveries").set({ event_position: position });
        yield* session.change(
          repaired.where("organization_id", "=", organizationId).where("id", "=", id).compile(),
        );
      }
    },
  };
}
