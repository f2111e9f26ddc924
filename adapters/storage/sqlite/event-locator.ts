import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import type { EventLocator } from "../kysely/sql/event-locator.js";
import type { Tables } from "../kysely/sql/tables.js";
import { selectNumber } from "./organization-numbers.js";

const TABLE = "loyalty_events";

/** Number of bits for an organization's event positions. At a million events a second, they last twelve days. */
const BITS = sql.lit(40);
const MOST = sql.lit(2 ** 40 - 1);

/**
 * Returns the locator for event rows. Rows are ordered by an integer row ID, which is the organization's number times 2^40 plus
 * the position. With a composite key of a string and a number, interior B-tree pages would hold whole rows, and inserting an
 * event would change twice as many pages.
 */
export function eventsByRowNumber(db: Kysely<Tables>): EventLocator {
  const isOfOrganization = (organizationId: Expression<string>, events: string) =>
    sql`${sql.ref(`${events}.organization_id`)} = ${organizationId} and ${sql.ref(`${events}.place`)}`;

  return {
    order: "place",
    at: (organizationId, position, events = TABLE) =>
      sql`${isOfOrganization(organizationId, events)} = ${rowNumberOf(selectNumber(organizationId), position)}`,
    among: (organizationId, positions) => {
      const places = sql`select ${startOf(selectNumber(organizationId))} + value from json_each(${positions})`;
      return sql`${isOfOrganization(organizationId, TABLE)} in (${places})`;
    },
    between: (organizationId, after, to, events = TABLE) => {
      const start = startOf(selectNumber(organizationId));
      const end = to === null ? MOST : sql`min(cast(${to} as integer), ${MOST})`;
      const isBehind = sql`${isOfOrganization(organizationId, events)} > ${start} + cast(${after} as integer)`;
      return sql`${isBehind} and ${sql.ref(`${events}.place`)} <= ${start} + ${end}`;
    },

    check: {
      findMisplaced: sql<{
        organizationId: string;
        id: string;
      }>`select organization_id as "organizationId", id from loyalty_events where ${isMisplaced}
        order by organization_id, id`.compile(db),
      reposition: (organizationId) =>
        sql`update loyalty_events set position = ${placed}
          where ${matchOrganization(organizationId)} and ${isMisplaced} and ${isAtRightPlace}`.compile(db),
      relocate: (organizationId) =>
        sql`update or ignore loyalty_events set place = ${rowNumberOf(number, position)}
          where ${matchOrganization(organizationId)} and ${isMisplaced}`.compile(db),
    },
  };
}

/**
 * Returns a SQL expression for an event's row ID.
 * @param number the organization's number as an integer expression. Don't pass a bound parameter, because numbers are bound as
 *   reals, which can't be shifted.
 */
export function rowNumberOf(number: Expression<unknown>, position: Expression<unknown>): RawBuilder<number> {
  return sql`${startOf(number)} + cast(${position} as integer)`;
}

function startOf(number: Expression<unknown>): RawBuilder<number> {
  return sql`(${number} << ${BITS})`;
}

const position = sql<number>`loyalty_events.position`;

/** Number of the event's organization. */
const number = selectNumber(sql`loyalty_events.organization_id`);

/** Position encoded in the event's row ID (`place`). */
const placed = sql<number>`loyalty_events.place - ${startOf(number)}`;

const isMisplaced = sql<boolean>`${number} is not null and place <> ${rowNumberOf(number, position)}`;

function matchOrganization(organizationId: string | null): RawBuilder<boolean> {
  return organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`;
}

const otherEvents = sql`loyalty_events other
  where other.organization_id = loyalty_events.organization_id and other.id <> loyalty_events.id`;

/**
 * True for a misplaced event whose `place` is right and whose `position` is wrong: either its place has more neighboring events
 * than its position, or another event already has the position.
 */
const isAtRightPlace = sql<boolean>`${isPossible(placed)} and (
  not (${isPossible(position)}) or ${countNeighbors(placed)} > ${countNeighbors(position)}
  or exists (select 1 from ${otherEvents} and other.place = ${rowNumberOf(number, position)}))`;

function isPossible(at: RawBuilder<number>): RawBuilder<boolean> {
  return sql`${at} between 1 and ${MOST}`;
}

/** Counts the events next to a position. The removed event right before the oldest one counts too. */
function countNeighbors(at: RawBuilder<number>): RawBuilder<number> {
  return sql`(select count(*) from ${otherEvents} and other.place in (${rowNumberOf(number, at)} - 1, ${rowNumberOf(number, at)} + 1))
    + (${at} - 1 = (select incomplete_position from loyalty_organizations removed
      where removed.organization_id = loyalty_events.organization_id))`;
}
