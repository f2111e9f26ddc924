import * as z from "zod";
import { wireTimestamp } from "./fields/text.js";

export const segmentMoveSchema = z
  .object({
    segment: z.object({ id: z.string(), slug: z.string(), name: z.string() }),
    userId: z.string(),
    at: wireTimestamp,
    because: z.enum(["change", "time"]),
  })
  .meta({ id: "SegmentMembershipChange" });

/**
 * A user who entered or left a segment. `because: "change"` moves at the time of a change, and `because: "time"` at a midnight,
 * because days have passed.
 */
export type SegmentMembershipChange = z.output<typeof segmentMoveSchema>;
