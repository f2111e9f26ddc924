import { type Expression, sql } from "kysely";
import type { EventLocator } from "../kysely/sql/event-locator.js";

const TABLE = "loyalty_events";

/** Finds events by their primary key, which consists of the organization and the position. */
export const eventsByKey: EventLocator = {
  order: "position",
  at: (organizationId, position, events = TABLE) =>
    sql`${ofOrganization(organizationId, events)} and ${positionOf(events)} = ${position}`,
  among: (organizationId, positions) =>
    sql`${ofOrganization(organizationId, TABLE)} and ${positionOf(TABLE)} = any(${positions})`,
  between: (organizationId, after, to, events = TABLE) => {
    const isBehind = sql`${ofOrganization(organizationId, events)} and ${positionOf(events)} > ${after}`;
    return to === null ? sql`${isBehind}` : sql`${isBehind} and ${positionOf(events)} <= ${to}`;
  },
  check: null,
};

function ofOrganization(organizationId: Expression<string>, events: string) {
  return sql`${sql.ref(`${events}.organization_id`)} = ${organizationId}`;
}

function positionOf(events: string) {
  return sql.ref(`${events}.position`);
}
