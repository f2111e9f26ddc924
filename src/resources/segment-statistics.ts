import * as z from "zod";

const count = z.int().min(0).nullable();

const counts = { members: count, entered: count, left: count };

/** The numbers of one day. */
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
 * The numbers of a segment on some days, which are those of the organization's time zone. `members` are those at the end of the day,
 * of today those of now, or of the last one; `entered` and `left` are who came and went on the day, or on all. `null` stands for
 * what is not known: days before the segment was saved, days to come, a day whose end nobody counted, and `entered` and `left` of a
 * segment that emits no events.
 */
export type SegmentStatistics = z.output<typeof segmentStatisticsSchema>;
