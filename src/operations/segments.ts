import { z } from "zod";
import { wirePage } from "../resources/page.js";
import { segmentQuerySchema } from "../resources/segment-filter.js";
import { userSchema } from "../resources/user.js";
import type { Operations } from "./operation.js";

/** A page of `size` 0 has the total alone. */
const segmentPageSchema = wirePage(userSchema)
  .extend({ size: z.int().min(0) })
  .meta({ id: "SegmentPage" });

/** The operations on users by tags and behaviour. */
export const segmentOperations = {
  query: {
    operationId: "querySegment",
    summary: "Query users by tags and behaviour",
    description: [
      "The filter is built as that of tags, and each of its conditions has exactly one key, which says what a user must be",
      "or have done. Days are calendar days of the organization's time zone: `withinDays: n` is from the start of the day n",
      "days ago on, `beforeDays: n` before that. A user who lacks the value matches neither. A template that is not there",
      "matches nobody. The caller needs the scopes of what the conditions read too: `user_tag:read` for tags, `pass:read`",
      "for cards and wallets, `user:read` for the rest. `size: 0` asks for the total alone.",
    ].join(" "),
    answer: "One page of the users found, oldest first, with exact totals.",
    scope: "segment:read",
    body: segmentQuerySchema,
    result: segmentPageSchema,
    errors: [],
  },
} satisfies Operations<"segments">;
