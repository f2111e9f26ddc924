import { dayIn, startOfDay } from "../base/values/calendar-days.js";
import type { CustomerFacts } from "./customer-facts.js";
import type { SegmentCondition, SegmentFilter } from "./filter-schema.js";
import { buildMatchSchedule, buildTimeline, type MatchSchedule } from "./match-schedule.js";
import type { PlanState } from "./plan.js";
import { combinedTimeline, type Timeline, type TimelineSpan } from "./timeline.js";

/**
 * The number of days in which yearly schedules show all their behavior: the years before, during and after a leap year, even around
 * a century year that isn't a leap year.
 */
const PERIOD = 12 * 366;

/** A filter in which each condition is replaced by its match schedule. */
export interface Courses {
  readonly operator: SegmentFilter["operator"];
  readonly operands: readonly (Courses | MatchSchedule)[];
  /** The days when the result of a one-time schedule changes. */
  readonly turns: readonly number[];
  /**
   * Cached timelines, keyed by the first day of the span that they cover. The cache is useful because enclosing filters examine the
   * same spans.
   */
  readonly timelines: Map<number, Timeline>;
}

export function combinedCourses(
  operator: SegmentFilter["operator"],
  operands: readonly (Courses | MatchSchedule)[],
): Courses {
  return { operator, operands, turns: operands.flatMap(listTurns), timelines: new Map() };
}

/**
 * Returns the next local midnight at which a customer starts or stops matching a validated filter through the passage of time
 * alone.
 * @param state the time to start from, the time zone, and the templates and segments that the filter refers to.
 * @returns the midnight, or `null` if the passage of time never changes the result.
 */
export function findNextChange(filter: SegmentFilter, state: PlanState, facts: CustomerFacts): number | null {
  return findNextTurn(buildCourses(filter, state, facts, []), state);
}

/** Like {@link findNextChange}, but uses match schedules that have already been built. */
export function findNextTurn(courses: Courses, state: Pick<PlanState, "at" | "timeZone">): number | null {
  const { turns } = courses;
  let from = dayIn(state.timeZone, state.at);
  let isTrue: boolean | null = null;
  for (;;) {
    const span = { from, until: from + PERIOD };
    const timeline = timelineIn(courses, span);
    isTrue ??= timeline.isTrue;
    const flips = timeline.isTrue === isTrue ? timeline.flips : [from, ...timeline.flips];
    const found = firstInstant(flips, state.timeZone);
    if (found !== null) return found;
    // If no one-time schedule changes within a period, the result repeats itself until the next such change.
    const hasTurned = turns.some((day) => day > span.from && day < span.until);
    const next = hasTurned ? span.until : Math.min(...turns.filter((day) => day >= span.until));
    if (!Number.isFinite(next)) return null;
    from = next;
  }
}

function buildCourses(
  { operator, conditions = [], filters = [] }: SegmentFilter,
  state: PlanState,
  facts: CustomerFacts,
  within: readonly string[],
): Courses {
  const ofCondition = (condition: SegmentCondition): Courses | MatchSchedule => {
    const { segment } = condition;
    const nested =
      segment === undefined || within.includes(segment) ? undefined : state.segments?.get(segment);
    if (segment === undefined || nested === undefined) return buildMatchSchedule(condition, state, facts);
    return buildCourses(nested, state, facts, [...within, segment]);
  };
  const operands = [
    ...conditions.map(ofCondition),
    ...filters.map((nested) => buildCourses(nested, state, facts, within)),
  ];
  return combinedCourses(operator, operands);
}

function listTurns(courses: Courses | MatchSchedule): readonly number[] {
  if ("turns" in courses) return courses.turns;
  return courses.is === "once" ? [courses.days.begin, courses.days.end].filter(Number.isFinite) : [];
}

function timelineIn(courses: Courses | MatchSchedule, span: TimelineSpan): Timeline {
  if (!("timelines" in courses)) return buildTimeline(courses, span);
  const known = courses.timelines.get(span.from);
  if (known !== undefined) return known;
  const operands = courses.operands.map((operand) => timelineIn(operand, span));
  const timeline = combinedTimeline(courses.operator, operands);
  courses.timelines.set(span.from, timeline);
  return timeline;
}

/**
 * Returns the first instant at which the result changes. Days that begin at the same instant, such as a date that a time zone
 * skipped, count as one.
 */
function firstInstant(flips: readonly number[], timeZone: string): number | null {
  let isPassedOver = false;
  for (const [nth, day] of flips.entries()) {
    const instant = startOfDay(timeZone, day);
    if (isPassedOver) isPassedOver = false;
    else if (flips[nth + 1] === day + 1 && startOfDay(timeZone, day + 1) === instant) isPassedOver = true;
    else return instant;
  }
  return null;
}
