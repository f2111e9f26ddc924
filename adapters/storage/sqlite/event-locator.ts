import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import type { EventLocator } from "../kysely/sql/event-locator.js";
import type { Tables } from "../kysely/sql/tables.js";
import { selectNumber } from "./organization-numbers.js";

const EVENTS_TABLE = "loyalty_events";

/** Number of bits for an organization's event positions. At a million events a second, they last twelve days. */
const POSITION_BITS = sql.lit(40);
const MAX_POSITION = sql.lit(2 ** 40 - 1);

/**
 * Returns the locator for event rows. Rows are ordered by an integer row ID, which is the organization's number times 2^40 plus
 * the position. With a composite key of a string and a number, interior B-tree pages would hold whole rows, and inserting an
 * event would change twice as many pages.
 */
export function createEventLocator(db: Kysely<Tables>): EventLocator {
  const buildPlaceCondition = (organizationId: Expression<string>, events: string) =>
    sql`${sql.ref(`${events}.organization_id`)} = ${organizationId} and ${sql.ref(`${events}.place`)}`;

  return {
    orderColumn: "place",
    at: (organizationId, position, events = EVENTS_TABLE) =>
      sql`${buildPlaceCondition(organizationId, events)} = ${buildRowNumber(selectNumber(organizationId), position)}`,
    among: (organizationId, positions) => {
      const rowNumbers = sql`select ${buildFirstRowNumber(selectNumber(organizationId))} + value from json_each(${positions})`;
      return sql`${buildPlaceCondition(organizationId, EVENTS_TABLE)} in (${rowNumbers})`;
    },
    between: (organizationId, after, to, events = EVENTS_TABLE) => {
      const start = buildFirstRowNumber(selectNumber(organizationId));
      const end = to === null ? MAX_POSITION : sql`min(cast(${to} as integer), ${MAX_POSITION})`;
      const isAfter = sql`${buildPlaceCondition(organizationId, events)} > ${start} + cast(${after} as integer)`;
      return sql`${isAfter} and ${sql.ref(`${events}.place`)} <= ${start} + ${end}`;
    },

    check: {
      findMisplaced: sql<{
        organizationId: string;
        id: string;
      }>`select organization_id as "organizationId", id from loyalty_events where ${isMisplaced}
        order by organization_id, id`.compile(db),
      reposition: (organizationId) =>
        sql`update loyalty_events set position = ${encodedPosition}
          where ${matchOrganization(organizationId)} and ${isMisplaced} and ${isAtRightPlace}`.compile(db),
      relocate: (organizationId) =>
        sql`update or ignore loyalty_events set place = ${buildRowNumber(number, position)}
          where ${matchOrganization(organizationId)} and ${isMisplaced}`.compile(db),
    },
  };
}

/**
 * Returns a SQL expression for an event's row ID.
 * @param number the organization's number as an integer expression. Don't pass a bound parameter, because numbers are bound as
 *   reals, which can't be shifted.
 */
export function buildRowNumber(
  number: Expression<unknown>,
  position: Expression<unknown>,
): RawBuilder<number> {
  return sql`${buildFirstRowNumber(number)} + cast(${position} as integer)`;
}

function buildFirstRowNumber(number: Expression<unknown>): RawBuilder<number> {
  return sql`(${number} << ${POSITION_BITS})`;
}

const position = sql<number>`loyalty_events.position`;

/** Number of the event's organization. */
const number = selectNumber(sql`loyalty_events.organization_id`);

/** Position encoded in the event's row ID (`place`). */
const encodedPosition = sql<number>`loyalty_events.place - ${buildFirstRowNumber(number)}`;

const isMisplaced = sql<boolean>`${number} is not null and place <> ${buildRowNumber(number, position)}`;

function matchOrganization(organizationId: string | null): RawBuilder<boolean> {
  return organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`;
}

const otherEvents = sql`loyalty_events other
  where other.organization_id = loyalty_events.organization_id and other.id <> loyalty_events.id`;

/**
 * True for a misplaced event whose `place` is right and whose `position` is wrong: either its place has more neighboring events
 * than its position, or another event already has the position.
 */
const isAtRightPlace = sql<boolean>`${isValidPosition(encodedPosition)} and (
  not (${isValidPosition(position)}) or ${countNeighbors(encodedPosition)} > ${countNeighbors(position)}
  or exists (select 1 from ${otherEvents} and other.place = ${buildRowNumber(number, position)}))`;

function isValidPosition(at: RawBuilder<number>): RawBuilder<boolean> {
  return sql`${at} between 1 and ${MAX_POSITION}`;
}

/** Counts the events next to a position. The removed event right before the oldest one counts too. */
function countNeighbors(at: RawBuilder<number>): RawBuilder<number> {
  return sql`(select count(*) from ${otherEvents} and other.place in (${buildRowNumber(number, at)} - 1, ${buildRowNumber(number, at)} + 1))
    + (${at} - 1 = (select incomplete_position from loyalty_organizations removed
      where removed.organization_id = loyalty_events.organization_id))`;
}
