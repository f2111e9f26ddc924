import { type AliasableExpression, ExpressionWrapper, sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { sumOfSome } from "../../../src/storage/day-counts.js";
import { first, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { Tables } from "../sql/tables.js";
import { type OpenDay, openDayIn, openDayText } from "./open-day.js";

/*
 * A change that others make all day, a stamp or a tag, appends events and counts something. Where one transaction writes at
 * a time, it leaves the organization's row alone: the newest event says the rest, which is its position, and what the open
 * day counts beyond the row. The row is written when the minute of the newest event changes, when something else in it
 * does, and before the newest event is removed. Where transactions run side by side, a statement that waited for the lock
 * of the row would not see the newest event, so the row says all.
 */

/** What an organization's row says of its events and its open day, or both together with the newest event. */
export interface Newest {
  readonly newestEventPosition: number;
  readonly openDay: OpenDay | null;
}

/** The highest position that an event of an organization was ever given, of a row of organizations under this name. */
export function newestPositionOf(
  { db, eventPlaces, locksOrganizations }: SqlDialect,
  row: string,
): AliasableExpression<number> {
  const column = db.dynamic.ref(`${row}.newest_event_position`);
  // A reference shows that it is of a column of integers; SQL by hand does not.
  const known = new ExpressionWrapper<Tables, never, number>(column.toOperationNode());
  if (locksOrganizations) return known;
  const newest = db
    .selectFrom("loyalty_events as newest")
    .select("newest.position")
    .where(eventPlaces.between(sql<string>`${sql.ref(`${row}.organization_id`)}`, known, null, "newest"))
    .orderBy(sql.ref(`newest.${eventPlaces.order}`), "desc")
    .limit(1);
  return sql<number>`coalesce(${newest}, ${known})`;
}

/** Returns a function that adds to what an organization's row says what the newest event says. */
export function newestEventReads({ db, eventPlaces }: Pick<SqlDialect, "db" | "eventPlaces">) {
  const newest = prepare((slot: Slot<{ organizationId: string; after: number }>) =>
    db
      .selectFrom("loyalty_events")
      .select(["position", "open_day as beyond"])
      .where(eventPlaces.between(slot("organizationId"), slot("after"), null))
      .orderBy(sql.ref(eventPlaces.order), "desc")
      .limit(1),
  );

  return function* <Row extends Newest>(session: ReadSession, organizationId: string, row: Row): Step<Row> {
    const event = yield* first(session, newest({ organizationId, after: row.newestEventPosition }));
    if (event === null) return row;
    return { ...row, newestEventPosition: event.position, openDay: dayWith(row.openDay, event.beyond) };
  };
}

/**
 * Returns a function that gives the columns of an organization's row as they are together with the newest event; `null` where
 * the row says all.
 */
export function wholeRows(dialect: Pick<SqlDialect, "db" | "eventPlaces">) {
  const withNewestEvent = newestEventReads(dialect);
  const known = prepare((slot: Slot<{ organizationId: string }>) =>
    dialect.db
      .selectFrom("loyalty_organizations")
      .select(["newest_event_position as newestEventPosition", "open_day as openDay"])
      .where("organization_id", "=", slot("organizationId")),
  );

  return function* (session: ReadSession, organizationId: string) {
    const row = yield* first(session, known({ organizationId }));
    if (row === null) return null;
    const before = { ...row, openDay: openDayIn(row.openDay) };
    const { newestEventPosition, openDay } = yield* withNewestEvent(session, organizationId, before);
    if (newestEventPosition === row.newestEventPosition) return null;
    return { newest_event_position: newestEventPosition, open_day: openDayText(openDay) };
  };
}

/**
 * What an event keeps of the open day, so that the row of its organization need not be written: the numbers that the day
 * has beyond those in the row.
 * @returns JSON, `null` where there are none, `undefined` where the row has another day.
 */
export function dayBeyond(row: OpenDay | null, day: OpenDay | null): string | null | undefined {
  if (row === day) return null;
  if (row === null || row.day !== day?.day) return undefined;
  const numbers = Object.keys({ ...row, ...day }) as readonly (keyof OpenDay)[];
  const more = numbers
    .map((number) => [number, (day[number] ?? 0) - (row[number] ?? 0)] as const)
    .filter(([, difference]) => difference !== 0);
  return more.length === 0 ? null : JSON.stringify(Object.fromEntries(more));
}

function dayWith(row: OpenDay | null, beyond: string | null): OpenDay | null {
  return row === null || beyond === null ? row : sumOfSome(row, JSON.parse(beyond));
}
