import { type AliasableExpression, ExpressionWrapper, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { addPartialCounts, type DayCounts } from "../../../../src/storage/day-counts.js";
import { noSets, type SetVersions } from "../segments/set-versions.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import type { Tables } from "../sql/tables.js";
import { type CurrentDay, formatCurrentDay, parseCurrentDay } from "./current-day.js";

/*
 * Frequent changes, such as a stamp, a tag or a new customer, append events and change counters. If transactions run one at a time,
 * such a change doesn't write the organization's row. Instead, the newest event carries the difference: its position, the current
 * day's counts beyond the row, the newest user, and the versions of sets whose rows are outdated.
 *
 * The rows are written when the minute of the newest event changes, when anything else in the organization's row changes, and
 * before the newest event is removed. The transaction that writes them clears the newest event's deferred counters, so that nothing
 * counts twice.
 *
 * If transactions run in parallel, counters are not deferred, because a statement that waited for the row's lock would not see the
 * newest event.
 */

/**
 * The position of an organization's newest event, and the current day's counts. Both values come either from the organization's
 * row alone or from the row and the newest event.
 */
export interface CurrentCounters {
  readonly newestEventPosition: number;
  readonly currentDayCounts: CurrentDay | null;
}

/** The newest user that an organization ever had, and the next user's ordinal. */
interface NewestUser {
  readonly nextUserOrdinal: number;
  readonly newestUserId: string | null;
  readonly newestUserCreatedAt: number | null;
}

/**
 * The values that an event carries because the rows don't have them yet. These are additions to the current day's counts, the
 * newest user if there is a new one, and versions of sets.
 */
interface DeferredCounters extends Partial<DayCounts> {
  readonly user?: NewestUser | undefined;
  readonly sets?: readonly (readonly [setId: number, version: number])[] | undefined;
}

/**
 * Builds an expression for the highest event position that an organization has ever used.
 * @param row the alias of the organization's row in the query.
 */
export function newestPositionExpression(
  { db, eventPlaces, locksOrganizations }: SqlDialect,
  row: string,
): AliasableExpression<number> {
  const column = db.dynamic.ref(`${row}.newest_event_position`);
  // A column reference is recognized as an integer column, but raw SQL isn't.
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

/**
 * Creates a function that reads the counters stored in the newest event and merges them into a copy of the organization's row.
 * The function returns the merged row and the tag set versions stored in the event.
 */
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

/**
 * Creates a function that clears the counters stored in the newest event. Call the function after writing the counters to the rows.
 */
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

/** Creates a function that reads the versions of the tag sets with outdated rows from an organization's newest event. */
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
 * Creates a function that merges the newest event's counters into an organization's row and returns the affected columns. The
 * function returns `null` if the row is up to date or doesn't exist.
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

/** Returns whether this counter can be stored in the newest event instead of the organization's row. */
export function isDeferrable(counter: string): boolean {
  return Object.hasOwn(saidByEvents, counter);
}

/** The counters that a transaction leaves for its organization's row or newest event. */
type CounterValues = NewestUser & Pick<CurrentCounters, "currentDayCounts">;

/** Maximum number of sets in an event. It is low because each event of the same minute repeats them. */
const MOST_SETS = 16;

/**
 * Encodes counters for storage in the newest event. If they can be encoded, the rows of the organization and its sets don't need to
 * be written.
 * @param row the counters in the organization's row.
 * @param now the current counters.
 * @param sets the versions of all sets with outdated rows.
 * @returns the counters as JSON, or `null` if they equal the row's. `undefined` if the rows must be written, because the row is
 *   from another day or too many sets are outdated.
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

/** Returns the differences between a day's counts and the row's, or `undefined` if the row belongs to another day. */
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
