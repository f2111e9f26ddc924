import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import type { EventLocator } from "../kysely/sql/event-locator.js";
import type { Tables } from "../kysely/sql/tables.js";
import { selectNumber } from "./organization-numbers.js";

const TABLE = "loyalty_events";

/** The bits for the positions of an organization: at a million events a second they last twelve days. */
const BITS = sql.lit(40);
const MOST = sql.lit(2 ** 40 - 1);

/**
 * The rows of events lie in the order of a row number, the number of the organization times 2^40 plus the position: by a key of a
 * text and a number, pages that only lead to others would hold whole rows, and twice as many pages change with each event.
 */
export function eventsByRowNumber(db: Kysely<Tables>): EventLocator {
  const ofOrganization = (organizationId: Expression<string>, events: string) =>
    sql`${sql.ref(`${events}.organization_id`)} = ${organizationId} and ${sql.ref(`${events}.place`)}`;

  return {
    order: "place",
    at: (organizationId, position, events = TABLE) =>
      sql`${ofOrganization(organizationId, events)} = ${rowNumberOf(selectNumber(organizationId), position)}`,
    among: (organizationId, positions) => {
      const places = sql`select ${startOf(selectNumber(organizationId))} + value from json_each(${positions})`;
      return sql`${ofOrganization(organizationId, TABLE)} in (${places})`;
    },
    between: (organizationId, after, to, events = TABLE) => {
      const start = startOf(selectNumber(organizationId));
      const end = to === null ? MOST : sql`min(cast(${to} as integer), ${MOST})`;
      const isBehind = sql`${ofOrganization(organizationId, events)} > ${start} + cast(${after} as integer)`;
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
 * The row number of an event.
 * @param number the organization's number, as an integer expression: bound numbers are reals, which can't be shifted.
 */
export function rowNumberOf(number: Expression<unknown>, position: Expression<unknown>): RawBuilder<number> {
  return sql`${startOf(number)} + cast(${position} as integer)`;
}

function startOf(number: Expression<unknown>): RawBuilder<number> {
  return sql`(${number} << ${BITS})`;
}

const position = sql<number>`loyalty_events.position`;

/** The number of an event's organization. */
const number = selectNumber(sql`loyalty_events.organization_id`);

/** The position that the place of an event stands for. */
const placed = sql<number>`loyalty_events.place - ${startOf(number)}`;

const isMisplaced = sql<boolean>`${number} is not null and place <> ${rowNumberOf(number, position)}`;

function matchOrganization(organizationId: string | null): RawBuilder<boolean> {
  return organizationId === null ? sql`true` : sql`organization_id = ${organizationId}`;
}

const others = sql`loyalty_events other
  where other.organization_id = loyalty_events.organization_id and other.id <> loyalty_events.id`;

/** True for a misplaced event whose place is right: more events are next to it than to the position, or another event has the position. */
const isAtRightPlace = sql<boolean>`${isPossible(placed)} and (
  not (${isPossible(position)}) or ${besides(placed)} > ${besides(position)}
  or exists (select 1 from ${others} and other.place = ${rowNumberOf(number, position)}))`;

function isPossible(at: RawBuilder<number>): RawBuilder<boolean> {
  return sql`${at} between 1 and ${MOST}`;
}

/** The number of events next to a position. A removed event counts if it comes right before the oldest one. */
function besides(at: RawBuilder<number>): RawBuilder<number> {
  return sql`(select count(*) from ${others} and other.place in (${rowNumberOf(number, at)} - 1, ${rowNumberOf(number, at)} + 1))
    + (${at} - 1 = (select incomplete_position from loyalty_organizations removed
      where removed.organization_id = loyalty_events.organization_id))`;
}
