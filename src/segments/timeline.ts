import type { SegmentFilter } from "../resources/segment-filter.js";

/** Whether a condition holds on each day. It starts with one value on the first day, and each flip changes it from that day on. */
export interface Timeline {
  readonly isTrue: boolean;
  /** Days after the first one, ascending. */
  readonly flips: readonly number[];
}

/** The days from the first on, and before the other; either may be infinite. */
export interface Days {
  readonly begin: number;
  readonly end: number;
}

/** A range of days, from `from` until before `until`. */
export interface TimelineSpan {
  readonly from: number;
  readonly until: number;
}

/** The timeline of a condition that only holds on some days, within a span. */
export function timelineBetween({ begin, end }: Days, { from, until }: TimelineSpan): Timeline {
  if (begin >= end) return { isTrue: false, flips: [] };
  const flips = [begin, end].filter((day) => day > from && day < until);
  return { isTrue: begin <= from && from < end, flips };
}

/** Combines the timelines of a filter's operands by its operator. */
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
    // The day has what all operands are on it.
    if (changes[nth + 1]?.day === day || isSo(count) === last) continue;
    flips.push(day);
    last = !last;
  }
  return { isTrue, flips };
}
