import * as z from "zod";

const count = z.int().min(0).nullable();

const counts = { members: count, entered: count, left: count };

/** The statistics for one day. */
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
 * Daily statistics for a segment, in the organization's time zone. `members` is the count at the end of the day; for today, the
 * current count; for the total, the count of the last day. `entered` and `left` count customers on the day, or on all days. `null`
 * means unknown: for days before the segment was created, future days and days whose end was not counted, and for `entered` and
 * `left` if the segment emits no events.
 */
export type SegmentStatistics = z.output<typeof segmentStatisticsSchema>;
