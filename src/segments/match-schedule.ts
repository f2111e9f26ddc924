import { dayIn, startOfDay } from "../base/values/calendar-days.js";
import { dateIn, dayOfNumericDate, isLeapYear, numericDateOf } from "../base/values/metadata-value.js";
import type { RemainingPurchase } from "../storage/purchases.js";
import { type CustomerFacts, sumPoints } from "./customer-facts.js";
import { isMember } from "./customer-membership.js";
import type { SegmentCondition, SegmentFilter } from "./filter-schema.js";
import { findPointRange, type PlanState, planFilter, templateOfCards, templateOfPoints } from "./plan.js";

/**
 * The days on which a condition matches a customer, assuming that the customer's data doesn't change: either some ranges of days, or
 * one range per year.
 */
export type MatchSchedule =
  | { readonly is: "once"; readonly ranges: readonly Days[] }
  | { readonly is: "yearly"; readonly daysOf: (year: number) => Days };

type Leaf<Name extends keyof SegmentCondition> = NonNullable<SegmentCondition[Name]>;

const ALWAYS: Days = { begin: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY };
const NEVER: Days = { begin: 0, end: 0 };

/** Returns whether a condition, on its own, matches a customer now. */
export function isMatchedNow(condition: SegmentCondition, state: PlanState, facts: CustomerFacts): boolean {
  return isMember(planFilter({ operator: "AND", conditions: [condition] }, state), facts);
}

/**
 * Builds a condition's match schedule. A condition that refers to a segment is treated as constant, because this function doesn't
 * examine the segment's own filter.
 * @param isMatched whether the condition matches the customer now.
 */
export function buildMatchSchedule(
  condition: SegmentCondition,
  state: PlanState,
  facts: CustomerFacts,
  isMatched = isMatchedNow(condition, state, facts),
): MatchSchedule {
  const { lastVisit, visits, points, pointsExpire, spent, purchases } = condition;
  const { joined, metadata, anniversary } = condition;
  const dayOfTime = (instant: number) => dayIn(state.timeZone, instant);
  if (anniversary !== undefined) return buildAnniversary(anniversary, facts);
  if (visits !== undefined) return createOnce(daysOfVisits(visits, state, facts));
  if (points !== undefined) return schedulePoints({ ...points, withinDays: null }, state, facts, isMatched);
  if (pointsExpire !== undefined) {
    const { templateId, withinDays } = pointsExpire;
    return schedulePoints({ templateId, min: 1, withinDays }, state, facts, isMatched);
  }
  if (spent !== undefined) {
    const payments = facts.purchases.filter(({ currency }) => currency === spent.currency);
    return createOnce(findDaysOfSum(payments, ({ amount }) => amount, spent, state));
  }
  if (purchases !== undefined) return createOnce(findDaysOfSum(facts.purchases, () => 1, purchases, state));
  if (lastVisit !== undefined && lastVisit.never === undefined) {
    const templateId = templateOfCards(lastVisit.templateId, state);
    const newest = templateId === undefined ? undefined : facts.listVisits(templateId)[0];
    return createOnce(newest === undefined ? NEVER : computeDaysSince(dayOfTime(newest), lastVisit));
  }
  if (joined?.withinDays !== undefined || joined?.beforeDays !== undefined)
    return createOnce(computeDaysSince(dayOfTime(facts.user.createdAt), joined));
  if (metadata?.withinDays !== undefined || metadata?.beforeDays !== undefined) {
    const date = dateIn(facts.getMetadataValue(metadata.path));
    return createOnce(date === null ? NEVER : computeDaysSince(dayOfNumericDate(date), metadata));
  }
  // Time doesn't change the other kinds of leaves.
  return createOnce(isMatched ? ALWAYS : NEVER);
}

/**
 * Returns whether a scheduled condition matches on the first day of a span, and the later days in the span on which it starts or
 * stops matching.
 */
export function buildTimeline(course: MatchSchedule, span: TimelineSpan): Timeline {
  if (course.is === "once") return combineRanges(course.ranges, span);
  const years = listYears({ begin: span.from, end: span.until });
  return combineRanges(years.map(course.daysOf), span);
}

function combineRanges(ranges: readonly Days[], span: TimelineSpan): Timeline {
  const [only, ...others] = ranges;
  if (only !== undefined && others.length === 0) return timelineBetween(only, span);
  return combinedTimeline(
    "OR",
    ranges.map((days) => timelineBetween(days, span)),
  );
}

/** Returns the last day, on or before `day`, on which the schedule's result changed, or `null` if there is no such day. */
export function lastChange(course: MatchSchedule, day: number): number | null {
  const dayRanges =
    course.is === "once" ? course.ranges : listYears({ begin: day, end: day }).map(course.daysOf);
  const turningDays = dayRanges.flatMap(({ begin, end }) => (begin < end ? [begin, end] : []));
  const pastDays = turningDays.filter((turn) => turn <= day && Number.isFinite(turn));
  return pastDays.length === 0 ? null : Math.max(...pastDays);
}

function createOnce(days: Days): MatchSchedule {
  return { is: "once", ranges: [days] };
}

interface DaysAgo {
  readonly withinDays?: number | undefined;
  readonly beforeDays?: number | undefined;
}

/** Returns the days up to `withinDays` after a day, or the days more than `beforeDays` after it. */
function computeDaysSince(day: number, { withinDays, beforeDays = 0 }: DaysAgo): Days {
  if (withinDays !== undefined) return { ...ALWAYS, end: day + withinDays + 1 };
  return { ...ALWAYS, begin: day + beforeDays + 1 };
}

function daysOfVisits(
  { templateId: requestedId, days, min = 0, max }: Leaf<"visits">,
  state: PlanState,
  facts: CustomerFacts,
): Days {
  const templateId = templateOfCards(requestedId, state);
  if (templateId === undefined || facts.listCards(templateId).length === 0) return NEVER;
  const visits = facts.listVisits(templateId);
  /** Returns the first day on which the n-th newest visit no longer counts. */
  const findDayWithout = (nth: number): number => {
    const visit = visits[nth - 1];
    return visit === undefined ? Number.NEGATIVE_INFINITY : dayIn(state.timeZone, visit) + days + 1;
  };
  return {
    begin: max === undefined ? ALWAYS.begin : findDayWithout(max + 1),
    end: min === 0 ? ALWAYS.end : findDayWithout(min),
  };
}

/**
 * Returns the days on which a card has a number of points. Points that become usable or end during a day count from the next midnight
 * on, because schedules have whole days.
 * @param isMatched whether the condition matches now, which is what it is for the rest of the day.
 */
function schedulePoints(
  { templateId, min = 0, max, withinDays }: Leaf<"points"> & { readonly withinDays: number | null },
  { at, timeZone, templates }: PlanState,
  facts: CustomerFacts,
  isMatched: boolean,
): MatchSchedule {
  const cards = templateOfPoints(templateId, { templates });
  if (cards === undefined) return createOnce(NEVER);
  const lotsOfCards = facts.listLotsByCard(templateId, cards.countsUnused);
  const isMatchedOn = (day: number): boolean => {
    const range = findPointRange(withinDays, { at: startOfDay(timeZone, day), timeZone });
    const sums = lotsOfCards.map((lots) => sumPoints(lots, range));
    return sums.some((points) => points >= min && (max === undefined || points <= max));
  };
  const turningDays = new Set<number>();
  for (const { usableFrom, expiresAt, graceUntil } of lotsOfCards.flat()) {
    const end = graceUntil ?? expiresAt;
    turningDays.add(findFirstDay(timeZone, usableFrom));
    if (end === null) continue;
    const dayAfter = findFirstDay(timeZone, end);
    turningDays.add(dayAfter);
    if (withinDays !== null) turningDays.add(dayAfter - 1 - withinDays);
  }
  const today = dayIn(timeZone, at);
  const ranges: Days[] = [];
  let begin = isMatched ? ALWAYS.begin : null;
  for (const day of [...turningDays].filter((turn) => turn > today).sort((a, b) => a - b)) {
    const isMatch = isMatchedOn(day);
    if (begin !== null && !isMatch) ranges.push({ begin, end: day });
    if (isMatch) begin ??= day;
    else begin = null;
  }
  if (begin !== null) ranges.push({ begin, end: ALWAYS.end });
  return { is: "once", ranges };
}

/** Returns the first day that begins at or after an instant. */
function findFirstDay(timeZone: string, instant: number): number {
  return dayIn(timeZone, instant - 1) + 1;
}

/**
 * Returns the days on which a sum over the purchases of the last days is within bounds. Purchases only leave the sum, so there is one
 * range.
 * @param purchases the customer's purchases, newest first.
 */
function findDaysOfSum(
  purchases: readonly RemainingPurchase[],
  measure: (purchase: RemainingPurchase) => number,
  { days, min = 0, max = Number.POSITIVE_INFINITY }: Omit<Leaf<"purchases">, "min" | "max"> & Bounds,
  { timeZone }: PlanState,
): Days {
  let sum = 0;
  let [begin, end] = [ALWAYS.begin, min === 0 ? ALWAYS.end : ALWAYS.begin];
  for (const purchase of purchases) {
    const before = sum;
    sum += measure(purchase);
    /** The first day on which this purchase, and all older ones, no longer count. */
    const dayWithout = dayIn(timeZone, purchase.at) + days + 1;
    if (before <= max && sum > max) begin = dayWithout;
    if (before < min && sum >= min) end = dayWithout;
  }
  return { begin, end };
}

interface Bounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

function buildAnniversary(
  { path, month, withinDays = 0 }: Leaf<"anniversary">,
  facts: CustomerFacts,
): MatchSchedule {
  const date = dateIn(facts.getMetadataValue(path));
  if (date === null) return createOnce(NEVER);
  const ofYear = Math.floor(date / 100) % 100;
  if (month === "this") return { is: "yearly", daysOf: (year) => daysOfMonth(year, ofYear) };
  if (month !== undefined) return createOnce(month === ofYear ? ALWAYS : NEVER);
  return {
    is: "yearly",
    daysOf: (year) => {
      const day = findAnniversaryDay(year, date % 10_000);
      return { begin: day - withinDays, end: day + 1 };
    },
  };
}

function daysOfMonth(year: number, month: number): Days {
  const next = month === 12 ? (year + 1) * 10_000 + 101 : year * 10_000 + (month + 1) * 100 + 1;
  return { begin: dayOfNumericDate(year * 10_000 + month * 100 + 1), end: dayOfNumericDate(next) };
}

/** Returns the date of a day of the year, such as 531, in a given year. In years without 29 February, it falls on 1 March. */
function findAnniversaryDay(year: number, dayOfYear: number): number {
  return dayOfNumericDate(year * 10_000 + (dayOfYear === 229 && !isLeapYear(year) ? 301 : dayOfYear));
}

/** Returns the years that a span of days covers, plus the previous and the next year. */
function listYears({ begin, end }: Days): number[] {
  const first = yearOf(begin) - 1;
  return Array.from({ length: yearOf(end) + 2 - first }, (_, index) => first + index);
}

function yearOf(day: number): number {
  return Math.floor(numericDateOf(day) / 10_000);
}

/**
 * The value of a condition on each day of a span, represented by its value on the first day and the days on which the value flips.
 */
export interface Timeline {
  readonly isTrue: boolean;
  /** The days on which the value flips, in ascending order. Doesn't include the first day. */
  readonly turningDays: readonly number[];
}

/** A range of days from `begin` (inclusive) to `end` (exclusive). Either bound can be infinite. */
interface Days {
  readonly begin: number;
  readonly end: number;
}

/** A range of days from `from` (inclusive) to `until` (exclusive). */
export interface TimelineSpan {
  readonly from: number;
  readonly until: number;
}

/** Builds the part of a timeline within the given span, for a condition that holds only on the given days. */
function timelineBetween({ begin, end }: Days, { from, until }: TimelineSpan): Timeline {
  if (begin >= end) return { isTrue: false, turningDays: [] };
  const turningDays = [begin, end].filter((day) => day > from && day < until);
  return { isTrue: begin <= from && from < end, turningDays };
}

export function combinedTimeline(
  operator: SegmentFilter["operator"],
  operands: readonly Timeline[],
): Timeline {
  const isTrueFor = (count: number) => {
    if (operator === "AND") return operands.length > 0 && count === operands.length;
    return operator === "OR" ? count > 0 : count === 0;
  };
  const changes = operands
    .flatMap(({ isTrue, turningDays }) =>
      turningDays.map((day, index) => ({ day, by: isTrue === (index % 2 === 0) ? -1 : 1 })),
    )
    .sort((a, b) => a.day - b.day);
  let count = operands.filter(({ isTrue }) => isTrue).length;
  const isTrue = isTrueFor(count);
  let last = isTrue;
  const turningDays: number[] = [];
  for (const [index, { day, by }] of changes.entries()) {
    count += by;
    // All of a day's changes count before the result is compared.
    if (changes[index + 1]?.day === day || isTrueFor(count) === last) continue;
    turningDays.push(day);
    last = !last;
  }
  return { isTrue, turningDays };
}
