import { type Expression, type Kysely, type RawBuilder, sql } from "kysely";
import type { EventPlaces } from "../kysely/sql/event-places.js";
import type { Tables } from "../kysely/sql/tables.js";
import { numberOf } from "./organization-numbers.js";

const TABLE = "loyalty_events";

/** An organization has room for so many positions: a million events a second take twelve days to fill it. */
const BITS = sql.lit(40);
const MOST = sql.lit(2 ** 40 - 1);

/**
 * The rows of events lie in the order of a row number, the number of the organization times 2^40 plus the position: by a key of a
 * text and a number, pages that only lead to others would hold whole rows, and twice as many pages change with each event.
 */
export function eventsByPlace(db: Kysely<Tables>): EventPlaces {
  const ofOrganization = (organizationId: Expression<string>, events: string) =>
    sql`${sql.ref(`${events}.organization_id`)} = ${organizationId} and ${sql.ref(`${events}.place`)}`;

  return {
    order: "place",
    at: (organizationId, position, events = TABLE) =>
      sql`${ofOrganization(organizationId, events)} = ${placeOf(numberOf(organizationId), position)}`,
    among: (organizationId, positions) => {
      const places = sql`select ${startOf(numberOf(organizationId))} + value from json_each(${positions})`;
      return sql`${ofOrganization(organizationId, TABLE)} in (${places})`;
    },
    between: (organizationId, after, to, events = TABLE) => {
      const start = startOf(numberOf(organizationId));
      const end = to === null ? MOST : sql`min(cast(${to} as integer), ${MOST})`;
      const isBehind = sql`${ofOrganization(organizationId, events)} > ${start} + cast(${after} as integer)`;
      return sql`${isBehind} and ${sql.ref(`${events}.place`)} <= ${start} + ${end}`;
    },

    check: {
      misplaced: (organizationId) =>
        sql<{
          id: string;
        }>`select id from loyalty_events where ${isMisplaced(organizationId)} order by id`.compile(db),
      replace: (organizationId) =>
        sql`update or ignore loyalty_events
          set place = ${placeOf(numberOf(sql`loyalty_events.organization_id`), sql`position`)}
          where ${isMisplaced(organizationId)}
            and ${numberOf(sql`loyalty_events.organization_id`)} is not null`.compile(db),
    },
  };
}

/**
 * The place of an event.
 * @param number an integer, that of its organization: numbers that are bound are real ones, which can't be shifted.
 */
export function placeOf(number: Expression<unknown>, position: Expression<unknown>): RawBuilder<number> {
  return sql`${startOf(number)} + cast(${position} as integer)`;
}

function startOf(number: Expression<unknown>): RawBuilder<number> {
  return sql`(${number} << ${BITS})`;
}

/**
 * True for rows that are not where they have to be, from the places of an organization up to those of the next one. The first
 * organization has all below it as well.
 */
function isMisplaced(organizationId: string): RawBuilder<boolean> {
  const number = numberOf(sql`${organizationId}`);
  const others = sql`from loyalty_search_organizations where number`;
  return sql`
    place >= iif(exists (select 1 ${others} < ${number}), ${startOf(number)}, -9223372036854775808)
    and place <= coalesce((select ${startOf(sql`min(number)`)} - 1 ${others} > ${number}), 9223372036854775807)
    and ${number} is not null
    and (organization_id <> ${organizationId} or place <> ${placeOf(number, sql`position`)})`;
}
