import * as z from "zod";
import { limitedList } from "./fields/limited-list.js";
import { text } from "./fields/text.js";
import { onAnyObject, requireExactlyOne } from "./parse.js";
import { type SegmentFilter, segmentFilterSchema } from "./segment-filter.js";
import { parseWithFilter } from "./tag-filter.js";

const MAX_USER_IDS = 10_000;

const userIds = limitedList(text(), MAX_USER_IDS);

const selectionKeys = ["userIds", "filter", "segment"] as const;

/** Exactly one of the three. */
export const userSelectionSchema = buildSelectionSchema(segmentFilterSchema).meta({
  id: "UserSelection",
  ...requireExactlyOne("userIds", "filter", "segment"),
});

/** A tag is given to or taken from these users, by service id or external id, all users who match a filter, or all in a saved segment, by its slug. */
export type UserSelection = z.input<typeof userSelectionSchema>;

export const taggingResultSchema = z
  .object({ changed: z.int().min(0), unchanged: z.int().min(0) })
  .meta({ id: "TaggingResult" });

/** `changed` users got or lost the tag; `unchanged` ones had it, or lacked it, before. */
export type TaggingResult = z.output<typeof taggingResultSchema>;

export const mergeTagSchema = z.object({ into: text() }).meta({ id: "MergeUserTag" });

/** The tag that gets the users of another, by its slug. */
export type MergeTag = z.input<typeof mergeTagSchema>;

/** @throws {LoyaltyError} as `parse`. */
export function parseSelection(selection: unknown): z.output<typeof userSelectionSchema> {
  return parseWithFilter(userSelectionSchema, buildSelectionSchema, selection);
}

function buildSelectionSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z
    .object({ userIds: userIds.optional(), filter: filter.optional(), segment: text().optional() })
    .refine((selection) => selectionKeys.filter((key) => selection[key] !== undefined).length === 1, {
      path: ["userIds"],
      error: "is required unless you give filter or segment instead",
      ...onAnyObject,
    });
}
