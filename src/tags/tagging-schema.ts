import * as z from "zod";
import { limitedList } from "../base/fields/limited-list.js";
import { text } from "../base/fields/text.js";
import { onAnyObject, requireExactlyOne } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { type SegmentFilter, scopesOfLeaves, segmentFilterSchema } from "../segments/filter-schema.js";
import { parseWithFilter } from "./tag-filter-schema.js";

const MAX_USER_IDS = 10_000;

const userIds = limitedList(text(), MAX_USER_IDS);

const selectionKeys = ["userIds", "filter", "segment"] as const;

/** The schema for a selection of users. It requires exactly one of `userIds`, `filter`, and `segment`. */
export const userSelectionSchema = buildSelectionSchema(segmentFilterSchema).meta({
  id: "UserSelection",
  ...requireExactlyOne("userIds", "filter", "segment"),
});

/**
 * Selects the users to assign a tag to or remove it from. Requires exactly one of `userIds` (service IDs or external IDs),
 * `filter`, or `segment` (the slug of a saved segment).
 */
export type UserSelection = z.input<typeof userSelectionSchema>;

export const taggingResultSchema = z
  .object({ changed: z.int().min(0), unchanged: z.int().min(0) })
  .meta({ id: "TaggingResult" });

/**
 * The result of assigning or removing a tag. `changed` counts the users whose tags changed. `unchanged` counts the users who needed
 * no change.
 */
export type TaggingResult = z.output<typeof taggingResultSchema>;

export const mergeTagSchema = z.object({ into: text() }).meta({ id: "MergeUserTag" });

/** The input for merging a tag. `into` is the slug of the tag to merge into. */
export type MergeTag = z.input<typeof mergeTagSchema>;

export function parseSelection(selection: unknown): z.output<typeof userSelectionSchema> {
  return parseWithFilter(userSelectionSchema, buildSelectionSchema, selection);
}

/**
 * Returns the scopes that a caller needs to select users for tagging. Selecting by tag needs no scope, because anyone who is
 * allowed to assign tags is also allowed to select by them.
 */
export function scopesToSelect({ filter, segment }: UserSelection): readonly Scope[] {
  if (segment !== undefined) return ["segment:read"];
  return filter === undefined ? [] : scopesOfLeaves(filter).filter(isNotOfTags);
}

export function isNotOfTags(scope: Scope): boolean {
  return scope !== "user_tag:read";
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
