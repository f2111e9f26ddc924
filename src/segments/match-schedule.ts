import { dayIn } from "../base/values/calendar-days.js";
import { dateIn, dayOfNumericDate, isLeapYear, numericDateOf } from "../base/values/metadata-value.js";
import type { CustomerFacts } from "./customer-facts.js";
import { isMember } from "./customer-membership.js";
import type { SegmentCondition } from "./filter-schema.js";
import { type PlanState, planFilter, templateOfCards } from "./plan.js";
import {
  combinedTimeline,
  type Days,
  type Timeline,
  type TimelineSpan,
  timelineBetween,
} from "./timeline.js";

/**
 * The days on which a condition matches a customer, assuming that the customer's data doesn't change: either one range of days, or
 * one range per year.
 */
export type MatchSchedule =
  | { readonly is: "once"; readonly days: Days }
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
  const { lastVisit, visits, joined, metadata, anniversary } = condition;
  const dayOfTime = (instant: number) => dayIn(state.timeZone, instant);
  if (anniversary !== undefined) return buildAnniversary(anniversary, facts);
  if (visits !== undefined) return createOnce(daysOfVisits(visits, state, facts));
  if (lastVisit !== undefined && lastVisit.never === undefined) {
    const templateId = templateOfCards(lastVisit.templateId, state);
    const newest = templateId === undefined ? undefined : facts.listVisits(templateId)[0];
    return createOnce(newest === undefined ? NEVER : computeDaysSince(dayOfTime(newest), lastVisit));
  }
  if (joined?.withinDays !== undefined || joined?.beforeDays !== undefined)
    return createOnce(computeDaysSince(dayOfTime(facts.user.createdAt), joined));
  if (metadata?.withinDays !== undefined || metadata?.beforeDays !== undefined) {
    const date = dateIn(facts.metadataAt(metadata.path));
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
  if (course.is === "once") return timelineBetween(course.days, span);
  const years = listYears({ begin: span.from, end: span.until });
  return combinedTimeline(
    "OR",
    years.map((year) => timelineBetween(course.daysOf(year), span)),
  );
}

/** Returns the last day, on or before `day`, on which the schedule's result changed, or `null` if there is no such day. */
export function lastChange(course: MatchSchedule, day: number): number | null {
  const dayRanges =
    course.is === "once" ? [course.days] : listYears({ begin: day, end: day }).map(course.daysOf);
  const turningDays = dayRanges.flatMap(({ begin, end }) => (begin < end ? [begin, end] : []));
  const pastDays = turningDays.filter((turn) => turn <= day && Number.isFinite(turn));
  return pastDays.length === 0 ? null : Math.max(...pastDays);
}

function createOnce(days: Days): MatchSchedule {
  return { is: "once", days };
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

function buildAnniversary(
  { path, month, withinDays = 0 }: Leaf<"anniversary">,
  facts: CustomerFacts,
): MatchSchedule {
  const date = dateIn(facts.metadataAt(path));
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
