import * as z from "zod";
import { isLoyaltyError } from "../base/errors.js";
import { wirePage } from "../base/page.js";
import type { Scope } from "../base/scopes.js";
import { userSchema } from "../customers/schema.js";
import type { Operations } from "../kernel/operation.js";
import { statisticsQuerySchema } from "../statistics/schema.js";
import { segmentExplanationSchema } from "./explanation-schema.js";
import { listLeafScopes, type SegmentFilter, segmentQuerySchema } from "./filter-schema.js";
import {
  createSegmentSchema,
  parseNewSegment,
  parseSegmentChanges,
  segmentMembersQuerySchema,
  segmentSchema,
  segmentStatisticsSchema,
  updatedSegmentSchema,
  updateSegmentSchema,
} from "./schema.js";

/** Page schema that allows `size` 0, which returns only the total. */
const segmentPageSchema = wirePage(userSchema)
  .extend({ size: z.int().min(0) })
  .meta({ id: "SegmentPage" });

const segmentMemberPageSchema = wirePage(userSchema).meta({ id: "SegmentMemberPage" });

const LEAVES =
  "Also requires the scopes for all data that the segment's conditions use, including the conditions of " +
  "other segments that it refers to.";

export const segmentOperations = {
  create: {
    operationId: "createSegment",
    summary: "Create a segment",
    description:
      "The slug is generated from the name. It's unique within the organization and never changes. A " +
      "`segment` condition refers to another saved segment. With `emitsEvents`, an event is emitted " +
      "whenever a user enters or leaves the segment from then on, but not for its initial members. " +
      `${LEAVES}`,
    answer: "The new segment and its number of members.",
    scope: "segment:write",
    scopesFor: scopesOfBody(parseNewSegment),
    body: createSegmentSchema,
    status: 201,
    result: segmentSchema,
    errors: ["segment_already_exists", "too_many_segments", "outbox_disabled"],
  },
  list: {
    operationId: "listSegments",
    summary: "List segments",
    description: "`members` is `null` if the caller lacks the scopes for the data that the filter uses.",
    answer: "All saved segments, oldest first, each with its current number of members.",
    scope: "segment:read",
    result: z.array(segmentSchema),
    errors: [],
  },
  get: {
    operationId: "getSegment",
    summary: "Get a segment",
    description: "`members` is `null` if the caller lacks the scopes for the data that the filter uses.",
    answer: "The segment with its current number of members.",
    scope: "segment:read",
    result: segmentSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateSegment",
    summary: "Update a segment",
    description:
      "Updates only the fields you provide; `null` clears the description or the color. The slug doesn't " +
      "change. If the filter changes, no events are emitted for the users who enter or leave as a result, " +
      `but the response includes how many did. ${LEAVES}`,
    answer: "The updated segment, and how many users entered and left.",
    scope: "segment:write",
    scopesFor: scopesOfBody(parseSegmentChanges),
    body: updateSegmentSchema,
    result: updatedSegmentSchema,
    errors: ["resource_not_found", "segment_in_use", "outbox_disabled"],
  },
  delete: {
    operationId: "deleteSegment",
    summary: "Delete a segment",
    description: "Fails with `segment_in_use` if another segment, a message or an automation refers to it.",
    answer: "The segment was deleted.",
    scope: "segment:write",
    result: null,
    errors: ["resource_not_found", "segment_in_use"],
  },
  members: {
    operationId: "listSegmentMembers",
    summary: "List a segment's members",
    description: LEAVES,
    answer: "A page of current members, with exact totals.",
    scope: "segment:read",
    query: segmentMembersQuerySchema,
    result: segmentMemberPageSchema,
    errors: ["resource_not_found"],
  },
  explain: {
    operationId: "explainSegment",
    summary: "Explain a user's segment membership",
    description:
      "Returns the segment's filter as a tree. Each node has `matched` and `changesAt`, the next midnight " +
      "when the result will change even if no data changes (`null` if it won't). Each condition also has " +
      "`currentValue`, the user's value for that condition, and `since`, the time when the result last " +
      `changed (\`null\` if unknown). ${LEAVES}`,
    answer: "The explanation, as a tree.",
    scope: "segment:read",
    result: segmentExplanationSchema,
    errors: ["resource_not_found"],
  },
  statistics: {
    operationId: "getSegmentStatistics",
    summary: "Get a segment's daily statistics",
    description:
      "Provide either `days`, or both `from` and `to`. Default: the last 30 days. Days are in the " +
      "organization's time zone. `members` is the number of members at the end of each day or, for today, " +
      "the current number. `entered` and `left` are `null` if the segment doesn't emit events. All values " +
      `are \`null\` for days before the segment was created. ${LEAVES}`,
    answer: "The totals and the values for each day.",
    scope: "segment:read",
    query: statisticsQuerySchema,
    result: segmentStatisticsSchema,
    errors: ["resource_not_found"],
  },
  query: {
    operationId: "querySegment",
    summary: "Query users by tags and behavior",
    description:
      "Combine conditions in the same way as in a tag filter. Each condition has exactly one key, which " +
      "specifies what to test. Days are calendar days in the organization's time zone: `withinDays: n` " +
      "matches anything since the start of the day n days ago, and `beforeDays: n` matches anything before " +
      "that. Users without a value match neither. An unknown template matches no users. Also requires the " +
      "scopes for the data that the conditions use: `user_tag:read` for tags, `pass:read` for cards and " +
      "wallets, and `user:read` for everything else. Use `size: 0` to get only the totals.",
    answer: "A page of matching users, oldest first by default, with exact totals.",
    scope: "segment:read",
    body: segmentQuerySchema,
    result: segmentPageSchema,
    errors: [],
  },
} satisfies Operations<"segments">;

/**
 * Returns a function that finds the scopes required by a body's filter. It returns no scopes for a body that can't be parsed,
 * because validation rejects that body later.
 */
function scopesOfBody(parseBody: (body: unknown) => { readonly filter?: SegmentFilter | undefined }) {
  return (body: unknown): readonly Scope[] => {
    try {
      const { filter } = parseBody(body);
      return filter === undefined ? [] : listLeafScopes(filter);
    } catch (error) {
      if (isLoyaltyError(error)) return [];
      throw error;
    }
  };
}
