import { type AliasableExpression, ExpressionWrapper, sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { addPartialCounts, type DayCounts } from "../../../src/storage/day-counts.js";
import { noSets, type SetVersions } from "../segments/set-versions.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { Tables } from "../sql/tables.js";
import { type CurrentDay, formatCurrentDay, parseCurrentDay } from "./current-day.js";

/*
 * A change that others make all day, a stamp, a tag or a new customer, appends events and counts something. Where one
 * transaction writes at a time, it leaves the organization's row alone: the newest event says the rest, which is its position,
 * what the open day counts beyond the row, the newest user, and the versions of sets whose rows are behind. The rows are
 * written when the minute of the newest event changes, when something else in the organization's row does, and before the
 * newest event is removed. The transaction that writes them clears what the newest event says, so that nothing counts twice.
 * Where transactions run side by side, a statement that waited for the lock of the row would not see the newest event, so the
 * rows say all.
 */

/** The counters of an organization's events and open day, from its row alone or together with the newest event. */
export interface CurrentCounters {
  readonly newestEventPosition: number;
  readonly currentDayCounts: CurrentDay | null;
}

/** The newest user that an organization ever had, and the place of the next one. */
interface NewestUser {
  readonly nextUserOrdinal: number;
  readonly newestUserId: string | null;
  readonly newestUserCreatedAt: number | null;
}

/** What an event says beyond the rows: numbers of the open day, the newest user if that is another, and versions of sets. */
interface DeferredCounters extends Partial<DayCounts> {
  readonly user?: NewestUser | undefined;
  readonly sets?: readonly (readonly [setId: number, version: number])[] | undefined;
}

/** The highest position that an event of an organization was ever given, of a row of organizations under this name. */
export function newestPositionExpression(
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

/** Returns a function that adds to what an organization's row says what the newest event says, and gives what that says of sets. */
export function mergeNewestEvent({ db, eventPlaces }: Pick<SqlDialect, "db" | "eventPlaces">) {
  const newest = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_events")
      .select(["position", "deferred_counters as beyond"])
      .where(eventPlaces.between(slot("organizationId"), sql`0`, null))
      .orderBy(sql.ref(eventPlaces.order), "desc")
      .limit(1),
  );

  return function* <Row extends CurrentCounters>(
    session: ReadSession,
    organizationId: string,
    row: Row,
  ): Step<{ readonly row: Row; readonly sets: SetVersions }> {
    const event = yield* findFirst(session, newest({ organizationId }));
    if (event === null) return { row, sets: noSets };
    const newestEventPosition = Math.max(event.position, row.newestEventPosition);
    if (event.beyond === null && newestEventPosition === row.newestEventPosition)
      return { row, sets: noSets };
    const { user, sets, ...more } = decodeDeferredCounters(event.beyond);
    const currentDayCounts = mergeDay(row.currentDayCounts, more);
    return { row: { ...row, ...user, newestEventPosition, currentDayCounts }, sets: new Map(sets) };
  };
}

/** Returns a function that clears the deferred counters of the newest event. Call it after the rows are written. */
export function clearDeferredCounters({ db, eventPlaces }: Pick<SqlDialect, "db" | "eventPlaces">) {
  const clear = prepare((slot: Slot<{ organizationId: string }>) => {
    const newest = db
      .selectFrom("loyalty_events as newest")
      .select("newest.position")
      .where(eventPlaces.between(slot("organizationId"), sql`0`, null, "newest"))
      .orderBy(sql.ref(`newest.${eventPlaces.order}`), "desc")
      .limit(1);
    return db
      .updateTable("loyalty_events")
      .set({ deferred_counters: null })
      .where(eventPlaces.at(slot("organizationId"), newest))
      .where("deferred_counters", "is not", null);
  });
  return (session: Session, organizationId: string) => session.change(clear({ organizationId }));
}

/** Returns a function that gives the versions of those sets of an organization whose rows may be behind. */
export function deferredVersions({ db, eventPlaces }: Pick<SqlDialect, "db" | "eventPlaces">) {
  const newest = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_events")
      .select("deferred_counters as beyond")
      .where(eventPlaces.between(slot("organizationId"), sql`0`, null))
      .orderBy(sql.ref(eventPlaces.order), "desc")
      .limit(1),
  );

  return function* (session: ReadSession, organizationId: string): Step<SetVersions> {
    const event = yield* findFirst(session, newest({ organizationId }));
    return event === null ? noSets : new Map(decodeDeferredCounters(event.beyond).sets);
  };
}

/**
 * Returns a function that gives the columns of an organization's row as they are together with the newest event; `null` where
 * the row says all.
 */
export function mergedRows(dialect: Pick<SqlDialect, "db" | "eventPlaces">) {
  const withNewestEvent = mergeNewestEvent(dialect);
  const known = prepare((slot: Slot<{ organizationId: string }>) =>
    dialect.db
      .selectFrom("loyalty_organizations")
      .select([
        "newest_event_position as newestEventPosition",
        "current_day_counts as currentDayCounts",
        "next_user_ordinal as nextUserOrdinal",
        "newest_user_id as newestUserId",
        "newest_user_created_at as newestUserCreatedAt",
      ])
      .where("organization_id", "=", slot("organizationId")),
  );

  return function* (session: ReadSession, organizationId: string) {
    const row = yield* findFirst(session, known({ organizationId }));
    if (row === null) return null;
    const before = { ...row, currentDayCounts: parseCurrentDay(row.currentDayCounts) };
    const { row: whole } = yield* withNewestEvent(session, organizationId, before);
    if (whole === before) return null;
    return {
      newest_event_position: whole.newestEventPosition,
      current_day_counts: formatCurrentDay(whole.currentDayCounts),
      next_user_ordinal: whole.nextUserOrdinal,
      newest_user_id: whole.newestUserId,
      newest_user_created_at: whole.newestUserCreatedAt,
    };
  };
}

const saidByEvents = {
  newestEventPosition: true,
  currentDayCounts: true,
  nextUserOrdinal: true,
  newestUserId: true,
  newestUserCreatedAt: true,
} satisfies Record<keyof (CurrentCounters & NewestUser), true>;

/** Returns whether the newest event may say this column of its organization's row. */
export function isDeferrable(counter: string): boolean {
  return Object.hasOwn(saidByEvents, counter);
}

/** What a transaction leaves for the row of its organization, or for its newest event to say. */
type CounterValues = NewestUser & Pick<CurrentCounters, "currentDayCounts">;

/** The most sets in an event, because each event of the minute repeats them. */
const MOST_SETS = 16;

/**
 * Encodes counters into the newest event, so that the rows of its organization and its sets needn't be written.
 * @param sets the versions of all sets whose rows are behind.
 * @returns JSON; `null` if there is nothing to defer; `undefined` if the rows must be written, because the row has another day or
 *   too many sets are behind.
 */
export function encodeDeferredCounters(
  row: CounterValues,
  now: CounterValues,
  sets: SetVersions,
): string | null | undefined {
  const day = diffDay(row.currentDayCounts, now.currentDayCounts);
  if (day === undefined || sets.size > MOST_SETS) return undefined;
  const { nextUserOrdinal, newestUserId, newestUserCreatedAt } = now;
  const isSameUser = nextUserOrdinal === row.nextUserOrdinal;
  const beyond: DeferredCounters = {
    user: isSameUser ? undefined : { nextUserOrdinal, newestUserId, newestUserCreatedAt },
    sets: sets.size === 0 ? undefined : [...sets],
    ...day,
  };
  const text = JSON.stringify(beyond);
  return text === "{}" ? null : text;
}

function decodeDeferredCounters(text: string | null): DeferredCounters {
  return text === null ? {} : JSON.parse(text);
}

/** The numbers that a day has beyond those in the row; `undefined` where the row has another day. */
function diffDay(row: CurrentDay | null, day: CurrentDay | null): Partial<DayCounts> | undefined {
  if (row === day) return {};
  if (row === null || row.day !== day?.day) return undefined;
  const more: { -readonly [Name in keyof CurrentDay]?: number } = {};
  for (const one of [day, row]) {
    for (const number of Object.keys(one) as readonly (keyof CurrentDay)[]) {
      const difference = (day[number] ?? 0) - (row[number] ?? 0);
      if (difference !== 0) more[number] = difference;
    }
  }
  return more;
}

function mergeDay(row: CurrentDay | null, more: Partial<DayCounts>): CurrentDay | null {
  return row === null ? null : addPartialCounts(row, more);
}
