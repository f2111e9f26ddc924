import type { SegmentFilter } from "./filter-schema.js";

/**
 * The value of a condition on each day of a span, represented by its value on the first day and the days on which the value flips.
 */
export interface Timeline {
  readonly isTrue: boolean;
  /** The days on which the value flips, in ascending order. Doesn't include the first day. */
  readonly flips: readonly number[];
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

/** Builds a timeline for a condition that holds only on the given days. The timeline covers only the given span. */
export function timelineBetween({ begin, end }: Days, { from, until }: TimelineSpan): Timeline {
  if (begin >= end) return { isTrue: false, flips: [] };
  const flips = [begin, end].filter((day) => day > from && day < until);
  return { isTrue: begin <= from && from < end, flips };
}

export function combinedTimeline(
  operator: SegmentFilter["operator"],
  operands: readonly Timeline[],
): Timeline {
  const isSo = (count: number) => {
    if (operator === "AND") return operands.length > 0 && count === operands.length;
    return operator === "OR" ? count > 0 : count === 0;
  };
  const changes = operands
    .flatMap(({ isTrue, flips }) =>
      flips.map((day, nth) => ({ day, by: isTrue === (nth % 2 === 0) ? -1 : 1 })),
    )
    .sort((one, other) => one.day - other.day);
  let count = operands.filter(({ isTrue }) => isTrue).length;
  const isTrue = isSo(count);
  let last = isTrue;
  const flips: number[] = [];
  for (const [nth, { day, by }] of changes.entries()) {
    count += by;
    // All of a day's changes count before the result is compared.
    if (changes[nth + 1]?.day === day || isSo(count) === last) continue;
    flips.push(day);
    last = !last;
  }
  return { isTrue, flips };
}
