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
 * A user who entered or left a segment. With `because: "change"`, the time is when the change was made; with `because: "time"`, it
 * is the midnight at which the passing of days moved the user.
 */
export type SegmentMembershipChange = z.output<typeof segmentMoveSchema>;
