import * as z from "zod";
import { limitedList } from "../base/fields/limited-list.js";
import { colorText, nameText, text, wireTimestamp } from "../base/fields/text.js";
import { onAnyObject, requireExactlyOne } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { timesOf, timestamp } from "../base/values/clock.js";
import { isSlug, toSlug } from "../base/values/slug.js";
import { isLongerThan } from "../base/values/text.js";
import { listLeafScopes, type SegmentFilter, segmentFilterSchema } from "../segments/filter-schema.js";
import type { StoredAssignment, StoredTag } from "../storage/tags.js";
import { parseWithFilter } from "./tag-filter-schema.js";

export const DEFAULT_TAG_COLOR = "#64748B";

const MAX_NAME_LENGTH = 100;
const MISSING_SLUG_MESSAGE = "must contain a letter or digit, for the slug";

const name = nameText(MAX_NAME_LENGTH);
/** A name from which a slug can be derived. A name that is too long has already been rejected, and must not be normalized. */
const newTagName = name.refine((value) => isLongerThan(value, MAX_NAME_LENGTH) || toSlug(value) !== "", {
  error: MISSING_SLUG_MESSAGE,
});
const description = text(500);
const color = colorText;

export const userTagSchema = z
  .object({
    id: z.string(),
    object: z.literal("UserTag"),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    color: z.string(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "UserTag" });

/** A label that is assigned to users for segmentation. It is identified by its slug. */
export type UserTag = z.output<typeof userTagSchema>;

export const userTagAssignmentSchema = z
  .object({
    id: z.string(),
    object: z.literal("UserTagAssignment"),
    userTag: userTagSchema,
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "UserTagAssignment" });

export type UserTagAssignment = z.output<typeof userTagAssignmentSchema>;

export const createTagSchema = z
  .object({ name: newTagName, description: description.nullish(), color: color.optional() })
  .meta({ id: "CreateUserTag" });

/**
 * The schema for the input of `ensure`. It includes the slug that identifies the tag. In the library, the slug is a separate
 * argument.
 */
export const ensureTagSchema = z
  .object({
    slug: z.string().refine(isSlug, { error: `must be a slug, such as "regular-guest"` }).optional(),
    name: name.optional(),
    description: description.nullish(),
    color: color.optional(),
  })
  .superRefine(({ slug, name: tagName }, context) => {
    if (slug !== undefined) return;
    if (tagName === undefined) context.addIssue({ code: "custom", path: ["slug"], message: "is required" });
    else if (toSlug(tagName) === "")
      context.addIssue({ code: "custom", path: ["name"], message: MISSING_SLUG_MESSAGE });
  })
  .meta({ id: "EnsureUserTag" });

/** The input of `ensure` without the slug, which is a separate argument. */
export type EnsureTag = Omit<z.input<typeof ensureTagSchema>, "slug">;

export type CreateTag = z.input<typeof createTagSchema>;

/** The schema for tag updates. Only the given fields change. `description: null` clears the description. The slug never changes. */
export const updateTagSchema = z
  .object({ name: name.optional(), description: description.nullable().optional(), color: color.optional() })
  .meta({ id: "UpdateUserTag" });

export type UpdateTag = z.input<typeof updateTagSchema>;

export function toUserTag(tag: StoredTag): UserTag {
  return {
    id: tag.id,
    object: "UserTag",
    name: tag.name,
    slug: tag.slug,
    description: tag.description,
    color: tag.color,
    ...timesOf(tag),
  };
}

/** Converts a stored assignment to the API resource. Assignments never change, so `updatedAt` equals `createdAt`. */
export function toUserTagAssignment(assignment: StoredAssignment, tag: StoredTag): UserTagAssignment {
  const createdAt = timestamp(assignment.createdAt);
  return {
    id: assignment.id,
    object: "UserTagAssignment",
    userTag: toUserTag(tag),
    createdAt,
    updatedAt: createdAt,
  };
}

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
export function listSelectionScopes({ filter, segment }: UserSelection): readonly Scope[] {
  if (segment !== undefined) return ["segment:read"];
  return filter === undefined ? [] : listLeafScopes(filter).filter(isNotTagScope);
}

export function isNotTagScope(scope: Scope): boolean {
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
