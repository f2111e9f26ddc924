import type { Step } from "../base/concurrency/step.js";
import { dayIn } from "../base/values/calendar-days.js";
import { dateOf } from "../base/values/clock.js";
import { zoneOf } from "../settings/schema.js";
import { resolveRange, type StatisticsQuery } from "../statistics/schema.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findMatches } from "./matching.js";
import { filterOf } from "./schema.js";
import { findSegment } from "./segment-changes.js";
import type { SegmentStatistics } from "./statistics-schema.js";

type Numbers = Pick<SegmentStatistics, "members" | "entered" | "left">;

const unknown: Numbers = { members: null, entered: null, left: null };

/**
 * Reads a segment's statistics for each day in a range.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* readSegmentStatistics(
  reader: StorageReader,
  organizationId: string,
  slug: string,
  asked: StatisticsQuery,
  now: number,
): Step<SegmentStatistics> {
  const segment = yield* findSegment(reader, organizationId, slug);
  const timeZone = zoneOf(yield* reader.findSettings(organizationId));
  const today = dayIn(timeZone, now);
  const first = dayIn(timeZone, segment.createdAt);
  const firstTold = dayIn(timeZone, segment.emitsSince ?? segment.createdAt);
  const { from, to } = resolveRange(asked, today);
  const noted = new Map(
    (yield* reader.segmentDays(organizationId, segment.id, from, to)).map((day) => [day.day, day]),
  );
  const question = { organizationId, filter: filterOf(segment), at: now };
  const isOfToday = from <= today && today <= to;
  const members = isOfToday ? (yield* findMatches(reader, question, 0, 0)).total : null;
  const numbersOn = (day: number): Numbers => {
    if (day < first || day > today) return unknown;
    const counted = noted.get(day);
    const isTold = segment.emitsEvents && day >= firstTold;
    return {
      members: day === today ? members : (counted?.members ?? null),
      entered: isTold ? (counted?.entered ?? 0) : null,
      left: isTold ? (counted?.left ?? 0) : null,
    };
  };
  const days = Array.from({ length: to - from + 1 }, (_, at) => {
    return { date: dateOf(from + at), ...numbersOn(from + at) };
  });
  return {
    object: "segment_statistics",
    from: dateOf(from),
    to: dateOf(to),
    members: days.at(-1)?.members ?? null,
    entered: sumKnown(days.map(({ entered }) => entered)),
    left: sumKnown(days.map(({ left }) => left)),
    days,
  };
}

/** Returns the sum of the known counts; `null` if none is known. */
function sumKnown(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : known.reduce((sum, count) => sum + count, 0);
}
