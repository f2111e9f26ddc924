import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import {
  addDayCounts,
  type CountedDay,
  type DayCounts,
  emptyDayCounts,
} from "../../../src/storage/day-counts.js";
import type { StoredSettings } from "../../../src/storage/settings.js";
import { dayIn, UTC } from "../../../src/values/calendar-days.js";
import { dateOf } from "../../../src/values/clock.js";
import { addedToDay, dayCountReads } from "../change/day-counts.js";
import { first, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { limited } from "../sql/limited.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { Difference } from "./finding.js";
import { firstChanges } from "./first-changes.js";
import { countedTypes, type FirstChange, ToldCounts, type ToldEvent } from "./told-counts.js";

/** The events that one read returns. */
const PAGE = 1_000;

/** The zone whose days are counted, and the first of them of which nothing was counted in another zone. */
type Calendar = Pick<StoredSettings, "timeZone" | "countedSince">;

const utcAlways: Calendar = { timeZone: UTC, countedSince: 0 };

/** Mails, messages and ends of subscriptions are counted without an event that tells of all of them. */
const untold: readonly string[] = ["emailsAccepted", "emailsFailed", "walletMessages", "unsubscribed"];

const numbers = (Object.keys(emptyDayCounts) as (keyof DayCounts)[]).filter(
  (number) => !untold.includes(number),
);

/** Imports that tell nobody count these, and so do they alone. */
const ofRows = ["members", "cards"] as const;

interface Comparable {
  readonly from: number;
  readonly after: number;
}

/** A number of a day that is not what it has to be. */
interface Off {
  readonly day: number;
  readonly number: keyof DayCounts;
  /** The amount that has to be added. */
  readonly by: number;
  /** True where the day is not known: all days together are off. */
  readonly isSum: boolean;
}

/**
 * Checks the counts of days against the events that are kept, and their sums against the users and cards that exist. It
 * compares the days all of whose events are kept, and which lie behind the last change of the organization's time zone; a count
 * that its events do not give is compared by its sum.
 */
export function statisticsCheck(dialect: SqlDialect) {
  const { db, eventPlaces } = dialect;
  const { readDayCounts } = dayCountReads(dialect);
  const add = addedToDay(dialect);
  const ofLedgers = firstChanges(dialect);
  const settings = rowsOf(dialect, tables.settings);

  /** Behind the last gap: of pending deliveries, older events are kept as well. */
  const oldestKept = (organizationId: string) => sql<{ position: number; createdAt: number }>`
    select position, created_at as "createdAt" from loyalty_events events
    where ${eventPlaces.between(sql`${organizationId}`, sql`0`, null, "events")} and not exists (
      select 1 from loyalty_events before
      where ${eventPlaces.at(sql`events.organization_id`, sql`events.position - 1`, "before")})
    order by ${sql.ref(eventPlaces.order)} desc limit 1`;

  const page = (organizationId: string, after: number) => sql<ToldEvent & { position: number }>`
    select position, type, created_at as "createdAt", data from loyalty_events
    where ${eventPlaces.between(sql`${organizationId}`, sql`${after}`, null)}
      and (type in (${sql.join(countedTypes)}) or type like 'stamp.%' or type in ('stamp_card.redeemed', 'reward.granted'))
    order by ${sql.ref(eventPlaces.order)} ${limited(PAGE)}`;

  const rows = (organizationId: string) => sql<{ members: number; cards: number }>`
    select (select cast(count(*) as double precision) from loyalty_users where organization_id = ${organizationId}) as members,
      (select cast(count(*) as double precision) from loyalty_wallet_passes
        where organization_id = ${organizationId} and is_preview_pass = 0) as cards`;

  /** The first day of which all that was counted is told, and the position before its first event; `null` where there is none. */
  function* comparable(
    session: ReadSession,
    organizationId: string,
    { timeZone, countedSince }: Calendar,
  ): Step<Comparable | null> {
    const oldest = yield* first(session, oldestKept(organizationId).compile(db));
    if (oldest === null) return null;
    const kept = oldest.position === 1 ? 0 : dayIn(timeZone, oldest.createdAt) + 1;
    return { from: Math.max(kept, countedSince), after: oldest.position - 1 };
  }

  function* toldAfter(
    session: ReadSession,
    organizationId: string,
    after: number,
    timeZone: string,
  ): Step<ToldCounts> {
    const told = new ToldCounts(timeZone);
    for (let position = after; ; ) {
      const events = yield* session.all(page(organizationId, position).compile(db));
      const changes: FirstChange[] = [];
      for (const event of events) {
        const change = told.take(event);
        if (change !== null) changes.push(change);
        position = event.position;
      }
      for (const [change, counts] of yield* ofLedgers(session, organizationId, changes)) {
        told.addChange(change, counts);
      }
      if (events.length < PAGE) return told;
    }
  }

  function* allOff(session: ReadSession, organizationId: string): Step<Off[]> {
    const { days } = yield* readDayCounts(
      { session },
      organizationId,
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
    );
    const calendar = (yield* settings.find(session, organizationId, {})) ?? utcAlways;
    const place = yield* comparable(session, organizationId, calendar);
    const due = (yield* first(session, rows(organizationId).compile(db))) ?? { members: 0, cards: 0 };
    const all = days.reduce((sum: DayCounts, day) => addDayCounts(sum, day), emptyDayCounts);
    const told =
      place === null ? null : yield* toldAfter(session, organizationId, place.after, calendar.timeZone);
    const differences = told === null || place === null ? [] : differencesOf(days, told, place.from);
    const newest = days.at(-1)?.day;
    const uncompared = (place?.from ?? newest ?? 0) - 1;
    const off = differences.filter(({ number, by }) => by > 0 || !isOfRows(number));
    for (const number of ofRows) {
      const left = due[number] - all[number] - sumOf(off.filter((each) => each.number === number));
      const spare = differences.filter((each) => each.number === number && each.by < 0);
      off.push(...spread(left, spare, number, Math.min(uncompared, newest ?? uncompared)));
    }
    return off;
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly Difference[]> {
      return (yield* allOff(session, organizationId)).map(aboutOf);
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const locked = db
        .selectFrom("loyalty_organizations")
        .select("organization_id")
        .where("organization_id", "=", organizationId);
      yield* session.all((dialect.locksOrganizations ? locked.forUpdate() : locked).compile());
      for (const { day, number, by } of yield* allOff(session, organizationId)) {
        yield* session.change(add({ organizationId, day, ...emptyDayCounts, [number]: by }));
      }
    },
  };
}

function isOfRows(number: keyof DayCounts): boolean {
  return ofRows.some((each) => each === number);
}

/** Returns the amounts that correct each count which differs from its events, the oldest day first. */
function differencesOf(days: readonly CountedDay[], told: ToldCounts, from: number): Off[] {
  const counted = new Map(days.map((day) => [day.day, day]));
  const all = [...new Set([...counted.keys(), ...told.days.keys()])].filter((day) => day >= from);
  return all
    .sort((a, b) => a - b)
    .flatMap((day) =>
      numbers.map((number) => {
        const by =
          (told.days.get(day) ?? emptyDayCounts)[number] - (counted.get(day) ?? emptyDayCounts)[number];
        return { day, number, by, isSum: false };
      }),
    )
    .filter(({ by }) => by !== 0 && !Number.isNaN(by));
}

/**
 * Distributes the rest of a sum: it is taken from the days that have more than their events give, the newest first, and the
 * remainder goes to a day that could not be compared.
 */
function spread(left: number, spare: readonly Off[], number: keyof DayCounts, uncompared: number): Off[] {
  const off: Off[] = [];
  let rest = left;
  for (const each of [...spare].reverse()) {
    const by = Math.max(each.by, Math.min(rest, 0));
    if (by < 0) off.push({ ...each, by });
    rest -= by;
  }
  if (rest !== 0) off.push({ day: uncompared, number, by: rest, isSum: true });
  return off;
}

function sumOf(all: readonly Off[]): number {
  return all.reduce((sum, { by }) => sum + by, 0);
}

function aboutOf({ day, number, isSum }: Off): string {
  return isSum ? `${number} of all days` : `${number} of ${dateOf(day)}`;
}
