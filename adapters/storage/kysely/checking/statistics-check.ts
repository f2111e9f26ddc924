import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { dayIn, UTC } from "../../../../src/base/values/calendar-days.js";
import { dateOf } from "../../../../src/base/values/clock.js";
import { parsePointEntryId, pointEntryIdOf } from "../../../../src/points/schema.js";
import {
  addDayCounts,
  type CountedDay,
  type DayCounts,
  emptyDayCounts,
} from "../../../../src/storage/day-counts.js";
import { type PointEntryType, pointEntryTypes } from "../../../../src/storage/points.js";
import type { StoredSettings } from "../../../../src/storage/settings.js";
import { dayCountReads, prepareDayIncrement } from "../change/day-counts.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { limitRows } from "../sql/limited-delete.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { RowProblem } from "./finding.js";
import { prepareLedgerBreaks } from "./ledger-breaks.js";
import {
  type CountedEvent,
  countedTypes,
  type EntryCounts,
  type PointEntryFacts,
  type PointEvent,
  ReplayedCounts,
  type UnclearChange,
} from "./replayed-counts.js";

/** Passes per statement. */
const BATCH_SIZE = 200;

const ZERO_COUNTS: EntryCounts = { stamps: 0, visits: 0, rewardsEarned: 0, rewardsRedeemed: 0 };

/** Events per read. */
const PAGE_SIZE = 1_000;

/** The time zone of the days, and the first day whose counts are all in this time zone. */
type Calendar = Pick<StoredSettings, "timeZone" | "countedSince">;

const defaultCalendar: Calendar = { timeZone: UTC, countedSince: 0 };

/** Counts of emails, messages and unsubscribes, which events don't fully cover. */
const uncoveredCounts: readonly string[] = [
  "emailsAccepted",
  "emailsFailed",
  "walletMessages",
  "unsubscribed",
];

const comparedCounts = (Object.keys(emptyDayCounts) as (keyof DayCounts)[]).filter(
  (number) => !uncoveredCounts.includes(number),
);

/** Counts whose sum over all days must equal a number of rows. */
const rowBasedCounts = ["members", "cards"] as const;

/** The events that a purchase can cause. */
const purchaseEvents: readonly string[] = ["stamp.added", "stamp.removed"];

interface StoredEvent extends Omit<CountedEvent, "data"> {
  readonly position: number;
  /** The event's data, as JSON. */
  readonly data: string;
}

/** Facts about an organization's stored events. */
interface Outbox {
  /** The outbox may lack events up to this position. */
  readonly incomplete: number;
  /** Time of the newest event or change that may be missing from the outbox, or `null` if none is missing. */
  readonly until: number | null;
  /** The highest position that was ever assigned. */
  readonly newest: number;
  /** The position of the newest event after `incomplete`, or `null` if there is none. */
  readonly last: number | null;
  /** The position of the oldest event after the last gap beyond `incomplete`, or `null` if there is no such gap. */
  readonly gap: number | null;
}

interface ComparableRange {
  readonly from: number;
  readonly after: number;
}

/** A daily count that is wrong. */
interface WrongDay {
  /** `-Infinity` if no day can take the correction. */
  readonly day: number;
  readonly number: keyof DayCounts;
  /** The amount to add. */
  readonly by: number;
  /** True if the sum over all days is wrong and the compared days don't explain it. */
  readonly isSum: boolean;
}

/**
 * Creates the check that compares daily counts with the stored events, and their sums with the actual numbers of users and cards.
 * Only days that come after the organization's last time zone change and whose events are all still stored are compared with
 * events.
 */
export function createStatisticsCheck(dialect: SqlDialect) {
  const { db, eventLocator } = dialect;
  const { readDayCounts } = dayCountReads(dialect);
  const addToDay = prepareDayIncrement(dialect);
  const readLedgers = prepareLedgerCounts(dialect);
  const findUnclearPasses = prepareUnclearPasses(dialect);
  const readFacts = prepareEntryFacts(dialect);
  const findBreaks = prepareLedgerBreaks(dialect);
  const settings = createRowStatements(dialect, tables.settings);

  const selectOutbox = (organizationId: string) => {
    const events = eventLocator.between(
      sql`${organizationId}`,
      sql`loyalty_organizations.incomplete_position`,
      null,
      "events",
    );
    return sql<Outbox>`select incomplete_position as incomplete, incomplete_until as until,
      newest_event_position as newest,
      (select max(position) from loyalty_events events where ${events}) as last,
      (select max(position) from loyalty_events events where ${events}
        and position - 1 <> loyalty_organizations.incomplete_position and not exists (
          select 1 from loyalty_events before
          where ${eventLocator.at(sql`events.organization_id`, sql`events.position - 1`, "before")})) as gap
      from loyalty_organizations where organization_id = ${organizationId}`;
  };

  const selectNewestUpTo = (organizationId: string, position: number) => sql<{ at: number | null }>`
    select max(created_at) as at from loyalty_events events
    where ${eventLocator.between(sql`${organizationId}`, sql`0`, sql`${position}`, "events")}`;

  const selectPage = (organizationId: string, after: number) => sql<StoredEvent>`
    select position, type, created_at as "createdAt", data from loyalty_events
    where ${eventLocator.between(sql`${organizationId}`, sql`${after}`, null)}
      and (type in (${sql.join(countedTypes)}) or type like 'stamp.%' or type like 'points.%'
        or type in ('stamp_card.redeemed', 'reward.granted'))
    order by ${sql.ref(eventLocator.orderColumn)} ${limitRows(PAGE_SIZE)}`;

  const selectRowCounts = (organizationId: string) => sql<{ members: number; cards: number }>`
    select (select cast(count(*) as double precision) from loyalty_users where organization_id = ${organizationId}) as members,
      (select cast(count(*) as double precision) from loyalty_wallet_passes
        where organization_id = ${organizationId} and is_preview_pass = 0) as cards`;

  /**
   * Returns the first day whose events are complete, and the position after which to read events. Returns `null` if there is no
   * such day.
   */
  function* findComparableRange(
    session: ReadSession,
    organizationId: string,
    { timeZone, countedSince }: Calendar,
  ): Step<ComparableRange | null> {
    const outbox = yield* findFirst(session, selectOutbox(organizationId).compile(db));
    if (outbox === null || outbox.last === null || outbox.last < outbox.newest) return null;
    const { incomplete, until, gap } = outbox;
    // A missing event in the gap may be as new as the event after it.
    const newestBefore = yield* findFirst(
      session,
      selectNewestUpTo(organizationId, gap ?? incomplete).compile(db),
    );
    const incompleteUntil = Math.max(
      until ?? Number.NEGATIVE_INFINITY,
      newestBefore?.at ?? Number.NEGATIVE_INFINITY,
    );
    const from =
      incompleteUntil === Number.NEGATIVE_INFINITY ? incompleteUntil : dayIn(timeZone, incompleteUntil) + 1;
    const since = countedSince > 0 ? countedSince : Number.NEGATIVE_INFINITY;
    return { from: Math.max(from, since), after: gap === null ? incomplete : gap - 1 };
  }

  function* replayEvents(
    session: ReadSession,
    organizationId: string,
    after: number,
    timeZone: string,
  ): Step<ReplayedCounts> {
    const replayed = new ReplayedCounts(timeZone);
    const brokenPasses = yield* findBreaks(session, organizationId);
    for (let position = after; ; ) {
      const events = yield* session.all(selectPage(organizationId, position).compile(db));
      const parsedEvents = events.map(({ data, ...event }) => ({ ...event, data: parseData(data) }));
      const passIds = parsedEvents.flatMap(({ type, data }) =>
        purchaseEvents.includes(type) ? [String(data.walletPassId)] : [],
      );
      const unclear = yield* findUnclearPasses(session, organizationId, passIds);
      const changes: UnclearChange[] = [];
      const pointEvents = parsedEvents.flatMap((event) => parsePointEvent(event) ?? []);
      const facts = yield* readFacts(session, organizationId, listUnclearEntries(replayed, pointEvents));
      for (const event of pointEvents)
        replayed.replayPoints(event, facts.get(replayed.findUnclearEntry(event) ?? "") ?? null);
      for (const event of parsedEvents) {
        position = event.position;
        if (event.type.startsWith("points.")) continue;
        const mayBePurchase =
          purchaseEvents.includes(event.type) && unclear.has(String(event.data.walletPassId));
        const change = replayed.replay(event, mayBePurchase);
        if (change !== null) changes.push(change);
      }
      for (const [change, counts] of yield* readLedgers(session, organizationId, changes)) {
        replayed.addChange(change, brokenPasses.has(change.passId) ? null : counts);
      }
      if (events.length < PAGE_SIZE) return replayed;
    }
  }

  function* findWrongDays(session: ReadSession, organizationId: string): Step<WrongDay[]> {
    const { days } = yield* readDayCounts(
      { session, organizationId },
      Number.MIN_SAFE_INTEGER,
      Number.MAX_SAFE_INTEGER,
    );
    const calendar = (yield* settings.find(session, organizationId, {})) ?? defaultCalendar;
    const range = yield* findComparableRange(session, organizationId, calendar);
    const rowCounts = (yield* findFirst(session, selectRowCounts(organizationId).compile(db))) ?? {
      members: 0,
      cards: 0,
    };
    const totals = days.reduce((sum: DayCounts, day) => addDayCounts(sum, day), emptyDayCounts);
    const replayed =
      range === null ? null : yield* replayEvents(session, organizationId, range.after, calendar.timeZone);
    let differences = replayed === null || range === null ? [] : findDifferences(days, replayed, range.from);
    for (const number of rowBasedCounts) {
      const by =
        rowCounts[number] -
        totals[number] -
        sumDifferences(differences.filter((each) => each.number === number));
      if (by === 0) continue;
      const unknownDays = [...(replayed?.days ?? [])].filter(([, counts]) => Number.isNaN(counts[number]));
      const day = Math.min((range?.from ?? Number.POSITIVE_INFINITY) - 1, days.at(-1)?.day ?? 0);
      const correction = { day: Math.max(day, ...unknownDays.map(([day]) => day)), number, by, isSum: true };
      // If no day can take the correction, events are missing, so differences in this count prove nothing.
      if (!Number.isFinite(correction.day))
        differences = differences.filter((each) => each.number !== number);
      differences.push(correction);
    }
    return differences;
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      return (yield* findWrongDays(session, organizationId)).map(describeDifference);
    },

    *repair(session: Session, organizationId: string): Step<void> {
      const locked = db
        .selectFrom("loyalty_organizations")
        .select("organization_id")
        .where("organization_id", "=", organizationId);
      yield* session.all((dialect.locksOrganizations ? locked.forUpdate() : locked).compile());
      const differences = yield* findWrongDays(session, organizationId);
      for (const { day, number, by } of differences.filter(({ day }) => Number.isFinite(day))) {
        yield* session.change(addToDay({ organizationId, day, ...emptyDayCounts, [number]: by }));
      }
    },
  };
}

/** Returns the corrections for counts that differ from their events, oldest day first. */
function findDifferences(days: readonly CountedDay[], replayed: ReplayedCounts, from: number): WrongDay[] {
  const storedDays = new Map(days.map((day) => [day.day, day]));
  const comparedDays = [...new Set([...storedDays.keys(), ...replayed.days.keys()])].filter(
    (day) => day >= from,
  );
  return comparedDays
    .sort((a, b) => a - b)
    .flatMap((day) =>
      comparedCounts.map((number) => {
        const by =
          (replayed.days.get(day) ?? emptyDayCounts)[number] -
          (storedDays.get(day) ?? emptyDayCounts)[number];
        return { day, number, by, isSum: false };
      }),
    )
    .filter(({ by }) => by !== 0 && !Number.isNaN(by));
}

function sumDifferences(differences: readonly WrongDay[]): number {
  return differences.reduce((sum, { by }) => sum + by, 0);
}

function describeDifference({ day, number, isSum }: WrongDay): RowProblem {
  if (!isSum) return `${number} of ${dateOf(day)}`;
  const about = `${number} of all days`;
  return Number.isFinite(day)
    ? about
    : { about, reason: `the events don't add up to the ${number} that exist` };
}

function parseData(json: string): CountedEvent["data"] {
  return JSON.parse(json);
}

/**
 * Creates a function that finds the passes whose stamps may come from purchases: those with such entries, and those that were
 * removed with their ledgers.
 */
function prepareUnclearPasses({ db, isOneOf, listParameter }: SqlDialect) {
  return function* (
    session: ReadSession,
    organizationId: string,
    passIds: readonly string[],
  ): Step<ReadonlySet<string>> {
    const unclear = new Set(passIds);
    if (unclear.size === 0) return unclear;
    const clear = sql<{ id: string }>`select id from loyalty_wallet_passes passes
      where organization_id = ${organizationId} and ${isOneOf(sql.ref("id"), sql`${listParameter([...unclear])}`)}
      and not exists (select 1 from loyalty_stamp_entries entry where entry.organization_id = passes.organization_id
        and entry.pass_id = passes.id and entry.type in ('earned', 'returned'))`;
    for (const { id } of yield* session.all(clear.compile(db))) unclear.delete(id);
    return unclear;
  };
}

/** Returns the point entry that an event reports, or `null` if it reports none. */
function parsePointEvent({ type, createdAt, data }: CountedEvent): PointEvent | null {
  const entryType = pointEntryTypes.find((name) => type === `points.${name}`);
  if (entryType === undefined || !isObject(data.entry) || !isObject(data.pointCard)) return null;
  const { id, points, reverses, at, createdAt: recordedAt } = data.entry;
  return {
    id: String(id),
    passId: String(data.pointCard.walletPassId),
    type: entryType,
    points: typeof points === "number" ? points : Number.NaN,
    reverses: typeof reverses === "string" ? reverses : null,
    at: typeof at === "string" ? Date.parse(at) : createdAt,
    createdAt: typeof recordedAt === "string" ? Date.parse(recordedAt) : createdAt,
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function listUnclearEntries(replayed: ReplayedCounts, events: readonly PointEvent[]): readonly EntryKey[] {
  return events.flatMap((event) => {
    const id = replayed.findUnclearEntry(event);
    return id === null ? [] : { id, passId: event.passId };
  });
}

/** Identifies an entry of a point ledger. */
interface EntryKey {
  readonly id: string;
  readonly passId: string;
}

/** Creates a function that reads facts about point entries, keyed by their IDs. Leaves out entries of passes that were removed. */
function prepareEntryFacts({ db, isOneOf, listParameter }: SqlDialect) {
  const selectFacts = (organizationId: string, keys: readonly EntryKey[]) => {
    const passIds = new Set(keys.map(({ passId }) => passId));
    const sequences = new Set(keys.flatMap(({ id, passId }) => parsePointEntryId(passId, id) ?? []));
    return sql<{ passId: string; sequence: number; type: PointEntryType; isImported: number }>`
      select pass_id as "passId", cast(sequence as double precision) as sequence, type,
        is_imported as "isImported" from loyalty_point_entries
      where organization_id = ${organizationId}
        and ${isOneOf(sql.ref("pass_id"), sql`${listParameter([...passIds])}`)}
        and ${isOneOf(sql.ref("sequence"), sql`${listParameter([...sequences])}`)}`.compile(db);
  };

  return function* (
    session: ReadSession,
    organizationId: string,
    keys: readonly EntryKey[],
  ): Step<ReadonlyMap<string, PointEntryFacts>> {
    const facts = new Map<string, PointEntryFacts>();
    for (let start = 0; start < keys.length; start += BATCH_SIZE) {
      const rows = yield* session.all(selectFacts(organizationId, keys.slice(start, start + BATCH_SIZE)));
      for (const { passId, sequence, type, isImported } of rows)
        facts.set(pointEntryIdOf(passId, sequence), { type, isImported: isImported === 1 });
    }
    return facts;
  };
}

/** A ledger entry. `of` is its type or, for a reversal, the type of the reversed entry. */
interface Entry {
  readonly passId: string;
  readonly type: string;
  readonly of: string;
  readonly delta: number;
  readonly stampsAfter: number;
  readonly completions: number;
  /** The purchase that the entry is about, or `null` if it isn't about one. */
  readonly purchase: string | null;
  /** 1 for an entry from an import, otherwise 0. */
  readonly isImported: number;
  readonly createdAt: number;
}

/**
 * Creates a function that reads from the ledgers how much each card change added to the daily counts. The ledgers are needed if
 * the events before a change have been deleted. The counts are `null` if they can't be determined from the ledger.
 */
function prepareLedgerCounts({ db, isOneOf, listParameter }: SqlDialect) {
  const selectEntries = (organizationId: string, passIds: readonly string[]) =>
    sql<Entry>`select entry.pass_id as "passId", entry.type, coalesce(reversed.type, entry.type) as "of",
        entry.delta, entry.stamps_after as "stampsAfter", entry.completions, entry.is_imported as "isImported",
        entry.source || ' ' || entry.receipt as purchase,
        entry.created_at as "createdAt"
      from loyalty_stamp_entries entry
      left join loyalty_stamp_entries reversed on reversed.organization_id = entry.organization_id
        and reversed.pass_id = entry.pass_id and reversed.id = entry.reverses
      where entry.organization_id = ${organizationId}
        and ${isOneOf(sql.ref("entry.pass_id"), sql`${listParameter(passIds)}`)}
      order by entry.pass_id, entry.sequence`.compile(db);

  return function* (
    session: ReadSession,
    organizationId: string,
    changes: readonly UnclearChange[],
  ): Step<(readonly [UnclearChange, EntryCounts | null])[]> {
    const entryCounts: (readonly [UnclearChange, EntryCounts | null])[] = [];
    for (let start = 0; start < changes.length; start += BATCH_SIZE) {
      const batch = changes.slice(start, start + BATCH_SIZE);
      const ledgers = new Map<string, Entry[]>();
      const ids = batch.map(({ passId }) => passId);
      for (const entry of yield* session.all(selectEntries(organizationId, ids))) {
        const ledger = ledgers.get(entry.passId) ?? [];
        ledgers.set(entry.passId, ledger);
        ledger.push(entry);
      }
      for (const change of batch)
        entryCounts.push([change, countEntries(change, ledgers.get(change.passId) ?? [])]);
    }
    return entryCounts;
  };
}

/**
 * Returns the counts of the entry that left the card as the event describes it. Returns `null` if there is no such entry, or if
 * several entries match but their counts differ. An import records one event for all its entries, and no day's counts include them.
 */
function countEntries(change: UnclearChange, ledger: readonly Entry[]): EntryCounts | null {
  const card = { collected: 0, completed: 0, left: 0, lastStampAt: Number.NEGATIVE_INFINITY };
  const lastStampAt = change.lastStampAt ?? Number.NEGATIVE_INFINITY;
  // A purchase decides itself when it was a visit, so the card may have been stamped later than the entries show.
  const isTimeKnown = ledger.every(({ purchase }) => purchase === null);
  const purchases = new Map<string, number>();
  const entryCounts: EntryCounts[] = [];
  for (const entry of ledger) {
    const counts = countEntry(entry, purchases);
    card.collected += counts.stamps;
    card.completed += entry.completions;
    card.left += counts.rewardsEarned - counts.rewardsRedeemed;
    if (entry.type === "added") card.lastStampAt = Math.max(card.lastStampAt, entry.createdAt);
    const isSame =
      card.collected === change.collected &&
      card.completed === change.completed &&
      card.left === change.left &&
      entry.stampsAfter === change.stamps &&
      (isTimeKnown ? card.lastStampAt === lastStampAt : card.lastStampAt <= lastStampAt);
    if (!isSame || !matchesKnownCounts(change, counts)) continue;
    if (entry.isImported === 0) {
      if (change.type === toEventType(entry)) entryCounts.push(counts);
    } else if (change.type === "stamp.added") entryCounts.push(ZERO_COUNTS);
  }
  const [first, ...laterCounts] = entryCounts;
  return first !== undefined && laterCounts.every((other) => areEqualCounts(first, other)) ? first : null;
}

/** Returns whether an entry's counts are those that follow from the events, if any do. */
function matchesKnownCounts({ knownCounts }: UnclearChange, counts: EntryCounts): boolean {
  return knownCounts === null || areEqualCounts({ ...counts, ...knownCounts }, counts);
}

function areEqualCounts(one: EntryCounts, other: EntryCounts): boolean {
  return (
    one.stamps === other.stamps &&
    one.visits === other.visits &&
    one.rewardsEarned === other.rewardsEarned &&
    one.rewardsRedeemed === other.rewardsRedeemed
  );
}

/**
 * Returns what an entry adds to the counts. A reversal counts like the reversed entry with the opposite sign. A purchase is a visit
 * while it has stamps on the card.
 * @param purchases the stamps that each purchase has on the card before the entry. They are updated.
 */
function countEntry(
  { type, of, delta, completions, purchase }: Entry,
  purchases: Map<string, number>,
): EntryCounts {
  const redeemed = of === "redeemed" ? 1 : 0;
  const granted = of === "granted" ? 1 : 0;
  const stamps = of === "added" || of === "earned" || of === "returned" ? delta : 0;
  const before = purchase === null ? 0 : (purchases.get(purchase) ?? 0);
  if (purchase !== null) purchases.set(purchase, before + stamps);
  return {
    stamps,
    visits: purchase === null ? Math.sign(stamps) : Math.sign(before + stamps) - Math.sign(before),
    rewardsEarned: completions + (type === "reversed" ? -granted : granted),
    rewardsRedeemed: type === "reversed" ? -redeemed : redeemed,
  };
}

/** Returns the type of the event that reports an entry. */
function toEventType({ type }: Entry): string {
  if (type === "earned") return "stamp.added";
  if (type === "returned") return "stamp.removed";
  if (type === "redeemed") return "stamp_card.redeemed";
  return type === "granted" ? "reward.granted" : `stamp.${type}`;
}
