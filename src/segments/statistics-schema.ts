import * as z from "zod";

const count = z.int().min(0).nullable();

const counts = { members: count, entered: count, left: count };

/** The schema for one day of a segment's statistics. The date is in the organization's time zone. */
export const daySegmentStatisticsSchema = z.object({ date: z.iso.date(), ...counts });

export const segmentStatisticsSchema = z
  .object({
    object: z.literal("segment_statistics"),
    from: z.iso.date(),
    to: z.iso.date(),
    ...counts,
    days: z.array(daySegmentStatisticsSchema),
  })
  .meta({ id: "SegmentStatistics" });

/**
 * A segment's daily statistics, in the organization's time zone. `members` is the member count at the end of the day, or the
 * current count for today. The total of `members` is the last day's count. `entered` and `left` count the customers who moved on
 * that day, or on any day for the totals. A count is `null` if it isn't known: for days before the segment was created, for future
 * days, and for days on which the members weren't counted. `entered` and `left` are also `null` if the segment emits no events.
 */
export type SegmentStatistics = z.output<typeof segmentStatisticsSchema>;
