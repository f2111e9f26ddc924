import type { SegmentFilter } from "./filter-schema.js";

/**
 * The value of a condition on each day of a span, represented by its value on the first day and the days on which the value flips.
 */
export interface Timeline {
  readonly isTrue: boolean;
  /** The days on which the value flips, in ascending order. Doesn't include the first day. */
  readonly turningDays: readonly number[];
}

/** A range of days from `begin` (inclusive) to `end` (exclusive). Either bound can be infinite. */
export interface Days {
  readonly begin: number;
  readonly end: number;
}

/** A range of days from `from` (inclusive) to `until` (exclusive). */
export interface TimelineSpan {
  readonly from: number;
  readonly until: number;
}

/** Builds the part of a timeline within the given span, for a condition that holds only on the given days. */
export function timelineBetween({ begin, end }: Days, { from, until }: TimelineSpan): Timeline {
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
