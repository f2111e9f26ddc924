import { dateIn, metadataReader } from "../../../../src/base/values/metadata-value.js";
import { RecentVisits } from "../../../../src/base/values/recent-visits.js";
import { normalizeNfc } from "../../../../src/base/values/text.js";
import type { BehaviorTest, MetadataTest } from "../../../../src/storage/behavior.js";
import { subscriptionStatuses } from "../../../../src/storage/subscriptions.js";
import { type Match, matchesValue, type Value } from "./column.js";
import type { CardColumnName, CardRow, PointRow, PurchaseRow, RowTypes, SourceName } from "./sources.js";

/** The tests that can be evaluated using columns. Join date tests use ordinals instead. Wallet tests read the tables directly. */
export type ColumnTest = Exclude<BehaviorTest, { readonly of: "joined" | "wallet" }>;

export function isColumnTest(test: BehaviorTest): test is ColumnTest {
  return test.of !== "joined" && test.of !== "wallet";
}

/** A kind of column, defined by the source of its values and the way they are computed. */
export interface ColumnDefinition<Name extends SourceName> {
  readonly source: Name;
  /** Identifies the column within an organization. */
  readonly key: string;
  /** The stamp card field that the values are computed from. */
  readonly field: Name extends "cards" ? CardColumnName : null;
  /** The values need no earlier purchases, and no lots that end by then. See `ReadScope`. */
  readonly since?: number;
  /** How time alone changes the values. Default: it doesn't. */
  readonly moving?: TimeDependence<RowTypes[Name]>;
  /**
   * Computes a user's values from the user's rows.
   * @param at the time that the values reflect, if the kind has `moving`.
   */
  readonly computeValues: (rows: readonly RowTypes[Name][], at: number) => readonly Value[];
}

/** How the values of a kind of column change as time goes on. */
interface TimeDependence<Row> {
  /** The time of the call, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Returns when a user's values next change after a time. `Infinity` if they never do. */
  readonly findNextChange: (rows: readonly Row[], at: number) => number;
}

export type AnyColumnDefinition = { [Name in SourceName]: ColumnDefinition<Name> }[SourceName];

/** A test, expressed as a condition on a column's values. */
export interface ColumnQuery {
  readonly kind: AnyColumnDefinition;
  readonly match: Match;
  /** Whether the test finds the users who don't satisfy `match` instead of those who do. */
  readonly isOpposite: boolean;
}

const MS_PER_SECOND = 1_000;

const isPresent: Match = { is: "within", from: 1, to: 1 };

/**
 * Returns the time of the call to which tests belong: the time at which they count points, or `null` if they count none. Tests of
 * whole days, and of another time, count as tests of the past.
 */
export function findTimeOfCall(tests: readonly BehaviorTest[]): number | null {
  const times = tests.flatMap((test) =>
    test.of === "points" && test.usableBy === test.endsAfter ? [test.endsAfter] : [],
  );
  return times.length === 0 ? null : Math.max(...times);
}

/** @param timeOfCall see {@link findTimeOfCall}. */
export function toColumnQuery(test: ColumnTest, timeOfCall: number | null): ColumnQuery {
  switch (test.of) {
    case "points":
      return createPointQuery(test, timeOfCall);
    case "spent":
    case "purchases":
      return createPurchaseQuery(test);
    case "stamps":
    case "rewards":
    case "completions": {
      const { of, templateId, min, max } = test;
      const kind = createCardSource(of, `${of} ${templateId ?? ""}`, templateId, (cards) =>
        cards.map((card) => card[of] ?? 0),
      );
      return createQuery(kind, matchBetween(min, max));
    }
    case "visit": {
      const { templateId, nth, since, before } = test;
      const kind = createCardSource("visits", `visit ${nth} ${templateId ?? ""}`, templateId, (cards) => {
        const visit = findNthVisit(cards, nth);
        return visit === null ? [] : [Math.floor(visit / MS_PER_SECOND)];
      });
      const from = since === null ? null : Math.ceil(since / MS_PER_SECOND);
      return createQuery(
        kind,
        matchBetween(from, before === null ? null : Math.ceil(before / MS_PER_SECOND) - 1),
      );
    }
    case "metadata": {
      const { path, value } = test;
      const key = `metadata ${value.is} ${JSON.stringify(path)}`;
      const [readValue, toValues] = [metadataReader(path), metadataValues[value.is]];
      const kind: AnyColumnDefinition = {
        source: "metadata",
        key,
        field: null,
        computeValues: ([row]) => (row === undefined ? [] : toValues(readValue(row.metadata))),
      };
      return createQuery(kind, createMetadataMatch(value));
    }
    case "field": {
      const { name } = test;
      const kind: AnyColumnDefinition = {
        source: "fields",
        key: `field ${name}`,
        field: null,
        computeValues: (rows) => rows.flatMap((row) => (row[name] === 1 ? [1] : [])),
      };
      return createQuery(kind, isPresent);
    }
    case "subscription": {
      const { channel, status } = test;
      const kind: AnyColumnDefinition = {
        source: "subscriptions",
        key: `subscription ${channel}`,
        field: null,
        computeValues: (rows) => rows.map((row) => subscriptionStatuses.indexOf(row[channel])),
      };
      const number = subscriptionStatuses.indexOf(status);
      // A user without a subscription counts as having the first status.
      return number === 0
        ? { ...createQuery(kind, matchBetween(1, null)), isOpposite: true }
        : createQuery(kind, matchBetween(number, number));
    }
    case "language": {
      const kind: AnyColumnDefinition = {
        source: "subscriptions",
        key: "language",
        field: null,
        computeValues: (rows) => rows.flatMap(({ language }) => language ?? []),
      };
      return createQuery(kind, { is: "language", language: test.language });
    }
  }
}

/** Returns an equivalent query for a column that stores no strings, only whether each user satisfies the condition. */
export function toFlagQuery({ kind, match, isOpposite }: ColumnQuery): ColumnQuery {
  const key = `${kind.key} = ${JSON.stringify(match)}`;
  return { kind: toFlagKind(kind, key, match), match: isPresent, isOpposite };
}

function toFlagKind(kind: AnyColumnDefinition, key: string, match: Match): AnyColumnDefinition {
  switch (kind.source) {
    case "cards":
      return { ...kind, key, computeValues: toMatchFlag(kind.computeValues, match) };
    case "points":
      return { ...kind, key, computeValues: toMatchFlag(kind.computeValues, match) };
    case "purchases":
      return { ...kind, key, computeValues: toMatchFlag(kind.computeValues, match) };
    case "metadata":
      return { ...kind, key, computeValues: toMatchFlag(kind.computeValues, match) };
    case "fields":
      return { ...kind, key, computeValues: toMatchFlag(kind.computeValues, match) };
    case "subscriptions":
      return { ...kind, key, computeValues: toMatchFlag(kind.computeValues, match) };
  }
}

function toMatchFlag<Rows>(computeValues: (rows: Rows, at: number) => readonly Value[], match: Match) {
  return (rows: Rows, at: number) =>
    computeValues(rows, at).some((value) => matchesValue(match, value)) ? [1] : [];
}

function createQuery(kind: AnyColumnDefinition, match: Match): ColumnQuery {
  return { kind, match, isOpposite: false };
}

function matchBetween(min: number | null, max: number | null): Match {
  return { is: "within", from: min ?? Number.NEGATIVE_INFINITY, to: max ?? Number.POSITIVE_INFINITY };
}

function createCardSource(
  field: CardColumnName,
  key: string,
  templateId: string | null,
  computeValues: (cards: readonly CardRow[]) => readonly number[],
): AnyColumnDefinition {
  const isSelected = (card: CardRow) => templateId === null || card.templateId === templateId;
  return {
    source: "cards",
    key,
    field,
    computeValues: (cards) => computeValues(cards.every(isSelected) ? cards : cards.filter(isSelected)),
  };
}

/** Returns the time of the n-th newest visit across the stamp cards, or `null` if there are fewer visits. */
function findNthVisit(cards: readonly CardRow[], nth: number): number | null {
  const [firstCard, secondCard] = cards;
  if (firstCard === undefined) return null;
  if (secondCard === undefined) return new RecentVisits(firstCard.visits ?? "[]").nth(nth);
  const visits = cards.flatMap(({ visits }): readonly number[] => JSON.parse(visits ?? "[]"));
  return visits.sort((one, other) => other - one)[nth - 1] ?? null;
}

type PointTest = Extract<BehaviorTest, { readonly of: "points" }>;
type PointRange = Pick<PointTest, "usableBy" | "endsAfter" | "endsBy">;

/**
 * Creates the query for a test of points. The columns of the current time move with the clock. Whole days and other times have
 * columns of their own, which don't move.
 */
function createPointQuery(test: PointTest, timeOfCall: number | null): ColumnQuery {
  const { templateId, countsUnused, usableBy, endsAfter, endsBy, min, max } = test;
  const isNow = usableBy === timeOfCall && endsAfter === timeOfCall;
  // Whether any points end by a time follows from the soonest end, whichever time it is.
  const isSoonest = endsBy !== null && min === 1 && max === null;
  const createRangeAt = (at: number): PointRange => ({
    usableBy: isNow ? at : usableBy,
    endsAfter: isNow ? at : endsAfter,
    endsBy: isSoonest ? null : endsBy,
  });
  const isSelected = (row: PointRow) => row.templateId === templateId && (countsUnused || row.isUsed === 1);
  const name = isSoonest ? "soonest end" : `points ${countsUnused} ${endsBy}`;
  const moving: TimeDependence<PointRow> = {
    at: endsAfter,
    findNextChange: (rows, at) => findNextChange(rows.filter(isSelected), at),
  };
  const kind: AnyColumnDefinition = {
    source: "points",
    key: `${name} ${templateId}${isNow ? "" : ` ${usableBy} ${endsAfter}`}`,
    field: null,
    since: endsAfter,
    ...(isNow && { moving }),
    computeValues: (rows, at) =>
      (isSoonest ? findSoonestEnd : sumPoints)(rows.filter(isSelected), createRangeAt(at)),
  };
  return createQuery(kind, isSoonest ? matchBetween(null, endsBy) : matchBetween(min, max));
}

/** Returns the number of points on each of a user's cards. */
function sumPoints(rows: readonly PointRow[], range: PointRange): readonly number[] {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(row.passId, (sums.get(row.passId) ?? 0) + countPoints(row, range));
  return [...sums.values()];
}

/** Returns when the first of a user's points end. Empty if none of them ever do. */
function findSoonestEnd(rows: readonly PointRow[], range: PointRange): readonly number[] {
  const ends = rows.flatMap((row) => (row.end !== null && countPoints(row, range) > 0 ? [row.end] : []));
  return ends.length === 0 ? [] : [Math.min(...ends)];
}

/** Returns how many of a lot's points count. */
function countPoints(
  { remaining, expired, usableFrom, end }: PointRow,
  { usableBy, endsAfter, endsBy }: PointRange,
): number {
  const endTime = end ?? Number.POSITIVE_INFINITY;
  if (usableFrom !== null && usableFrom > usableBy) return 0;
  if (endTime <= endsAfter || (endsBy !== null && endTime > endsBy)) return 0;
  return (remaining ?? 0) + (endTime > usableBy ? (expired ?? 0) : 0);
}

/** Returns when the first of these lots becomes usable or ends after a time. */
function findNextChange(rows: readonly PointRow[], after: number): number {
  let next = Number.POSITIVE_INFINITY;
  for (const { usableFrom, end } of rows) {
    if (usableFrom !== null && usableFrom > after) next = Math.min(next, usableFrom);
    if (end !== null && end > after) next = Math.min(next, end);
  }
  return next;
}

type PurchaseTest = Extract<BehaviorTest, { readonly of: "spent" | "purchases" }>;

function createPurchaseQuery(test: PurchaseTest): ColumnQuery {
  const { of, since, min, max } = test;
  const isSelected = (row: PurchaseRow) =>
    row.at >= since && (test.of === "purchases" || row.currency === test.currency);
  const kind: AnyColumnDefinition = {
    source: "purchases",
    key: `${of} ${of === "spent" ? test.currency : ""} ${since}`,
    field: null,
    since,
    computeValues: (rows) => {
      const matchingRows = rows.filter(isSelected);
      if (matchingRows.length === 0) return [];
      return [
        of === "purchases" ? matchingRows.length : matchingRows.reduce((sum, { amount }) => sum + amount, 0),
      ];
    },
  };
  if (min > 0) return createQuery(kind, matchBetween(min, max));
  // A user without purchases has 0, so the test finds everyone who doesn't have too much.
  const match = matchBetween(max === null ? Number.POSITIVE_INFINITY : max + 1, null);
  return { ...createQuery(kind, match), isOpposite: true };
}

const metadataValues: Readonly<Record<MetadataTest["is"], (value: unknown) => readonly Value[]>> = {
  there: (value) => (value === undefined || value === null ? [] : [1]),
  text: (value) => (typeof value === "string" ? [normalizeNfc(value)] : []),
  flag: (value) => (typeof value === "boolean" ? [value ? 1 : 0] : []),
  number: (value) => (typeof value === "number" ? [value] : []),
  date: (value) => listDate(dateIn(value)),
  dayOfYear: (value) => computeDayOfYear(dateIn(value)),
};

function listDate(date: number | null): readonly number[] {
  return date === null ? [] : [date];
}

function computeDayOfYear(date: number | null): readonly number[] {
  return date === null ? [] : [date % 10_000];
}

/** Caches sets of days, because a filter may test many paths for the same days. */
const daySets = new WeakMap<readonly number[], ReadonlySet<number>>();

function getOrCreateDaySet(days: readonly number[]): ReadonlySet<number> {
  const daySet = daySets.get(days) ?? new Set(days);
  daySets.set(days, daySet);
  return daySet;
}

function createMetadataMatch(test: MetadataTest): Match {
  switch (test.is) {
    case "there":
      return isPresent;
    case "text":
      return { is: "text", text: test.text };
    case "flag":
      return matchBetween(test.value ? 1 : 0, test.value ? 1 : 0);
    case "number":
      return matchBetween(test.min, test.max);
    case "date":
      return matchBetween(test.from, test.before === null ? null : test.before - 1);
    case "dayOfYear":
      return { is: "one of", numbers: getOrCreateDaySet(test.days) };
  }
}
