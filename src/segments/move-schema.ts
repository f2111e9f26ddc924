import * as z from "zod";
import { wireTimestamp } from "../base/fields/text.js";

export const segmentMoveSchema = z
  .object({
    segment: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    userId: z.string(),
    at: wireTimestamp,
    because: z.enum(["change", "time"]),
  })
  .meta({ id: "SegmentMembershipChange" });

/**
 * A record of a user entering or leaving a segment. If `because` is `"change"`, `at` is when the change was made. If it is
 * `"time"`, the user moved because a new day began, and `at` is the midnight at which that day began.
 */
export type SegmentMembershipChange = z.output<typeof segmentMoveSchema>;
