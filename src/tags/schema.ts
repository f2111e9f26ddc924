import * as z from "zod";
import { colorText, nameText, text, wireTimestamp } from "../base/fields/text.js";
import { timesOf, timestamp } from "../base/values/clock.js";
import { isSlug, toSlug } from "../base/values/slug.js";
import { isLongerThan } from "../base/values/text.js";
import type { StoredAssignment, StoredTag } from "../storage/tags.js";

export const DEFAULT_TAG_COLOR = "#64748B";

const MAX_NAME_LENGTH = 100;
const NO_SLUG = "must contain a letter or digit, for the slug";

const name = nameText(MAX_NAME_LENGTH);
/** A name from which a slug can be derived. A name that is too long has already been rejected, and must not be normalized. */
const nameOfNewTag = name.refine((value) => isLongerThan(value, MAX_NAME_LENGTH) || toSlug(value) !== "", {
  error: NO_SLUG,
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
  .object({ name: nameOfNewTag, description: description.nullish(), color: color.optional() })
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
  .superRefine(({ slug, name: given }, context) => {
    if (slug !== undefined) return;
    if (given === undefined) context.addIssue({ code: "custom", path: ["slug"], message: "is required" });
    else if (toSlug(given) === "") context.addIssue({ code: "custom", path: ["name"], message: NO_SLUG });
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

export function userTagOf(tag: StoredTag): UserTag {
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
export function userTagAssignmentOf(assignment: StoredAssignment, tag: StoredTag): UserTagAssignment {
  const createdAt = timestamp(assignment.createdAt);
  return {
    id: assignment.id,
    object: "UserTagAssignment",
    userTag: userTagOf(tag),
    createdAt,
    updatedAt: createdAt,
  };
}
