import { dateIn, metadataReader } from "../../../../src/base/values/metadata-value.js";
import { RecentVisits } from "../../../../src/base/values/recent-visits.js";
import { normalizeNfc } from "../../../../src/base/values/text.js";
import type { BehaviorTest, MetadataTest } from "../../../../src/storage/behavior.js";
import { subscriptionStatuses } from "../../../../src/storage/subscriptions.js";
import { isLedgerTest } from "../purchases/purchase-tests.js";
import { type Match, matchesValue, type Value } from "./column.js";
import type { CardColumnName, CardRow, RowsOf, SourceName } from "./sources.js";

/**
 * The tests that can be evaluated using columns. Join date tests use ordinals instead. Tests of wallets, points, and purchases read
 * the tables directly.
 */
export type ColumnTest = Exclude<
  BehaviorTest,
  { readonly of: "joined" | "wallet" | "points" | "spent" | "purchases" }
>;

export function isColumnTest(test: BehaviorTest): test is ColumnTest {
  return test.of !== "joined" && test.of !== "wallet" && !isLedgerTest(test);
}

/** A kind of column, defined by the source of its values and the way they are computed. */
interface KindOf<Name extends SourceName> {
  readonly source: Name;
  /** Identifies the column within an organization. */
  readonly key: string;
  /** The stamp card field that the values are computed from. */
  readonly field: Name extends "cards" ? CardColumnName : null;
  /** Computes a user's values from the user's rows. */
  readonly valuesOf: (rows: readonly RowsOf[Name][]) => readonly Value[];
}

export type SourceKind = { [Name in SourceName]: KindOf<Name> }[SourceName];

/** A test, expressed as a condition on a column's values. */
export interface ColumnQuery {
  readonly kind: SourceKind;
  readonly match: Match;
  /** Whether the test finds the users who don't satisfy `match` instead of those who do. */
  readonly isOpposite: boolean;
}

const SECOND = 1_000;

const isPresent: Match = { is: "within", from: 1, to: 1 };

export function toColumnQuery(test: ColumnTest): ColumnQuery {
  switch (test.of) {
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
        return visit === null ? [] : [Math.floor(visit / SECOND)];
      });
      const from = since === null ? null : Math.ceil(since / SECOND);
      return createQuery(kind, matchBetween(from, before === null ? null : Math.ceil(before / SECOND) - 1));
    }
    case "metadata": {
      const { path, value } = test;
      const key = `metadata ${value.is} ${JSON.stringify(path)}`;
      const [valueIn, valuesAt] = [metadataReader(path), metadataValues[value.is]];
      const kind: SourceKind = {
        source: "metadata",
        key,
        field: null,
        valuesOf: ([row]) => (row === undefined ? [] : valuesAt(valueIn(row.metadata))),
      };
      return createQuery(kind, createMetadataMatch(value));
    }
    case "field": {
      const { name } = test;
      const kind: SourceKind = {
        source: "fields",
        key: `field ${name}`,
        field: null,
        valuesOf: (rows) => rows.flatMap((row) => (row[name] === 1 ? [1] : [])),
      };
      return createQuery(kind, isPresent);
    }
    case "subscription": {
      const { channel, status } = test;
      const kind: SourceKind = {
        source: "subscriptions",
        key: `subscription ${channel}`,
        field: null,
        valuesOf: (rows) => rows.map((row) => subscriptionStatuses.indexOf(row[channel])),
      };
      const number = subscriptionStatuses.indexOf(status);
      // A user without a subscription counts as having the first status.
      return number === 0
        ? { ...createQuery(kind, matchBetween(1, null)), isOpposite: true }
        : createQuery(kind, matchBetween(number, number));
    }
    case "language": {
      const kind: SourceKind = {
        source: "subscriptions",
        key: "language",
        field: null,
        valuesOf: (rows) => rows.flatMap(({ language }) => language ?? []),
      };
      return createQuery(kind, { is: "language", language: test.language });
    }
  }
}

/** Returns an equivalent query for a column that stores no strings, only whether each user satisfies the condition. */
export function withoutText({ kind, match, isOpposite }: ColumnQuery): ColumnQuery {
  const key = `${kind.key} = ${JSON.stringify(match)}`;
  return { kind: narrowToKey(kind, key, match), match: isPresent, isOpposite };
}

function narrowToKey(kind: SourceKind, key: string, match: Match): SourceKind {
  switch (kind.source) {
    case "cards":
      return { ...kind, key, valuesOf: matchesOne(kind.valuesOf, match) };
    case "metadata":
      return { ...kind, key, valuesOf: matchesOne(kind.valuesOf, match) };
    case "fields":
      return { ...kind, key, valuesOf: matchesOne(kind.valuesOf, match) };
    case "subscriptions":
      return { ...kind, key, valuesOf: matchesOne(kind.valuesOf, match) };
  }
}

function matchesOne<Rows>(valuesOf: (rows: Rows) => readonly Value[], match: Match) {
  return (rows: Rows) => (valuesOf(rows).some((value) => matchesValue(match, value)) ? [1] : []);
}

function createQuery(kind: SourceKind, match: Match): ColumnQuery {
  return { kind, match, isOpposite: false };
}

function matchBetween(min: number | null, max: number | null): Match {
  return { is: "within", from: min ?? Number.NEGATIVE_INFINITY, to: max ?? Number.POSITIVE_INFINITY };
}

function createCardSource(
  field: CardColumnName,
  key: string,
  templateId: string | null,
  valuesOf: (cards: readonly CardRow[]) => readonly number[],
): SourceKind {
  const isAsked = (card: CardRow) => templateId === null || card.templateId === templateId;
  return {
    source: "cards",
    key,
    field,
    valuesOf: (cards) => valuesOf(cards.every(isAsked) ? cards : cards.filter(isAsked)),
  };
}

/** Returns the time of the n-th newest visit across the stamp cards, or `null` if there are fewer visits. */
function findNthVisit(cards: readonly CardRow[], nth: number): number | null {
  const [only, secondCard] = cards;
  if (only === undefined) return null;
  if (secondCard === undefined) return new RecentVisits(only.visits ?? "[]").nth(nth);
  const visits = cards.flatMap(({ visits }): readonly number[] => JSON.parse(visits ?? "[]"));
  return visits.sort((one, other) => other - one)[nth - 1] ?? null;
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
const setsOfDays = new WeakMap<readonly number[], ReadonlySet<number>>();

function getOrCreateDaySet(days: readonly number[]): ReadonlySet<number> {
  const daySet = setsOfDays.get(days) ?? new Set(days);
  setsOfDays.set(days, daySet);
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
