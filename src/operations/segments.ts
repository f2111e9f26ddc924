import * as z from "zod";
import { isLoyaltyError } from "../errors.js";
import { wirePage } from "../resources/page.js";
import {
  createSegmentSchema,
  parseNewSegment,
  parseSegmentChanges,
  segmentMembersQuerySchema,
  segmentSchema,
  updatedSegmentSchema,
  updateSegmentSchema,
} from "../resources/segment.js";
import { segmentExplanationSchema } from "../resources/segment-explanation.js";
import { type SegmentFilter, scopesOfLeaves, segmentQuerySchema } from "../resources/segment-filter.js";
import { segmentStatisticsSchema } from "../resources/segment-statistics.js";
import { statisticsQuerySchema } from "../resources/statistics.js";
import { userSchema } from "../resources/user.js";
import type { Scope } from "../scopes.js";
import type { Operations } from "./operation.js";

/** A page of `size` 0 has the total alone. */
const segmentPageSchema = wirePage(userSchema)
  .extend({ size: z.int().min(0) })
  .meta({ id: "SegmentPage" });

const segmentMemberPageSchema = wirePage(userSchema).meta({ id: "SegmentMemberPage" });

const LEAVES =
  "The caller needs the scopes of what the conditions read too, also within segments that the filter names.";

/** The operations on users by tags and behavior. */
export const segmentOperations = {
  create: {
    operationId: "createSegment",
    summary: "Save a segment",
    description: [
      "The slug is made from the name, is unique in the organization and never changes. A condition `segment` names another saved",
      "segment. With `emitsEvents`, events tell who enters and leaves from now on; nobody is told of those who are in it already.",
      LEAVES,
    ].join(" "),
    answer: "The new segment, with how many users it has.",
    scope: "segment:write",
    scopesFor: scopesOfBody(parseNewSegment),
    body: createSegmentSchema,
    status: 201,
    result: segmentSchema,
    errors: ["segment_already_exists", "too_many_segments", "outbox_disabled"],
  },
  list: {
    operationId: "listSegments",
    summary: "List all saved segments",
    description: "`members` is `null` where the caller may not see what the filter reads.",
    answer: "All saved segments, oldest first, each with how many users it has now.",
    scope: "segment:read",
    result: z.array(segmentSchema),
    errors: [],
  },
  get: {
    operationId: "getSegment",
    summary: "Get a saved segment",
    description: "`members` is `null` where the caller may not see what the filter reads.",
    answer: "The segment, with how many users it has now.",
    scope: "segment:read",
    result: segmentSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateSegment",
    summary: "Update a saved segment",
    description: [
      "Only sent fields change; `null` clears the description or the color. The slug stays. Nobody is told of users who enter or",
      `leave by a change of the filter: the answer says how many. ${LEAVES}`,
    ].join(" "),
    answer: "The segment as it is now, with how many users it got and lost.",
    scope: "segment:write",
    scopesFor: scopesOfBody(parseSegmentChanges),
    body: updateSegmentSchema,
    result: updatedSegmentSchema,
    errors: ["resource_not_found", "segment_in_use", "outbox_disabled"],
  },
  delete: {
    operationId: "deleteSegment",
    summary: "Delete a saved segment",
    description: "One that another segment names stays until that does not any more.",
    answer: "The segment is deleted.",
    scope: "segment:write",
    result: null,
    errors: ["resource_not_found", "segment_in_use"],
  },
  members: {
    operationId: "listSegmentMembers",
    summary: "List the users in a saved segment",
    description: LEAVES,
    answer: "One page of the users who are in it now, with exact totals.",
    scope: "segment:read",
    query: segmentMembersQuerySchema,
    result: segmentMemberPageSchema,
    errors: ["resource_not_found"],
  },
  explain: {
    operationId: "explainSegment",
    summary: "Explain why a user is in a saved segment, or is not",
    description: [
      "The tree of the segment's filter, each part with `matched`, and with `changesAt`: the next midnight at which time alone",
      "changes that, `null` for never. Each condition has beside its own key what the user has of it (`currentValue`), and since when",
      `that is so (\`since\`, \`null\` where the data does not say). ${LEAVES}`,
    ].join(" "),
    answer: "The explanation.",
    scope: "segment:read",
    result: segmentExplanationSchema,
    errors: ["resource_not_found"],
  },
  statistics: {
    operationId: "getSegmentStatistics",
    summary: "Get the numbers of a saved segment by day",
    description: [
      "Takes `days`, or `from` and `to`; the last 30 days without any. Days are those of the organization's time zone. `members` are",
      "those at the end of the day, and of today those of now. `entered` and `left` are `null` for a segment that emits no events,",
      `and all numbers are of days before it was saved. ${LEAVES}`,
    ].join(" "),
    answer: "The numbers of all days together, and of each.",
    scope: "segment:read",
    query: statisticsQuerySchema,
    result: segmentStatisticsSchema,
    errors: ["resource_not_found"],
  },
  query: {
    operationId: "querySegment",
    summary: "Query users by tags and behavior",
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

/** The scopes of what the filter of a body reads. A body that can't be read is refused later. */
function scopesOfBody(read: (body: unknown) => { readonly filter?: SegmentFilter | undefined }) {
  return (body: unknown): readonly Scope[] => {
    try {
      const { filter } = read(body);
      return filter === undefined ? [] : scopesOfLeaves(filter);
    } catch (error) {
      if (isLoyaltyError(error)) return [];
      throw error;
    }
  };
}
