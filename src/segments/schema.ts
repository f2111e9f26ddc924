import * as z from "zod";
import { colorText, nameText, text, wireTimestamp } from "../base/fields/text.js";
import { parseNew } from "../base/parse.js";
import { timesOf } from "../base/values/clock.js";
import { toSlug } from "../base/values/slug.js";
import { isLongerThan } from "../base/values/text.js";
import { contactQuerySchema } from "../customers/contact-schema.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import { parseWithFilter } from "../tags/tag-filter-schema.js";
import { readFilter, type SegmentFilter, segmentFilterSchema } from "./filter-schema.js";

const MAX_NAME_LENGTH = 100;

/** A path segment under `/v1/segments` that can't be used as a slug. */
const RESERVED_SLUG = "query";

const name = nameText(MAX_NAME_LENGTH);
/** A name from which a slug can be derived. A name that is too long has already been rejected, and must not be normalized. */
const nameOfNewSegment = name
  .refine((value) => isLongerThan(value, MAX_NAME_LENGTH) || toSlug(value) !== "", {
    error: "must contain a letter or digit, for the slug",
  })
  .refine((value) => isLongerThan(value, MAX_NAME_LENGTH) || toSlug(value) !== RESERVED_SLUG, {
    error: `must not result in the slug ${RESERVED_SLUG}`,
  });
const description = text(500);

/** The schema for a segment as it appears in events. It omits the member count, which would soon be out of date. */
export const savedSegmentSchema = z
  .object({
    id: z.string(),
    object: z.literal("segment"),
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    color: z.string().nullable(),
    filter: segmentFilterSchema,
    emitsEvents: z.boolean(),
    isRecounting: z.boolean(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "SavedSegment" });

export type SavedSegment = z.output<typeof savedSegmentSchema>;

export const segmentSchema = savedSegmentSchema
  .extend({ members: z.int().min(0).nullable() })
  .meta({ id: "Segment" });

/**
 * A saved filter. `members` is the number of users who match the filter now, or `null` if the caller lacks a scope that the filter
 * needs. While `isRecounting` is `true`, the members are being computed from scratch and no events are emitted.
 */
export type Segment = z.output<typeof segmentSchema>;

export const updatedSegmentSchema = segmentSchema
  .extend({ entered: z.int().min(0), left: z.int().min(0) })
  .meta({ id: "UpdatedSegment" });

/** An updated segment, with counts of the users who entered and left it because of the update. */
export type UpdatedSegment = z.output<typeof updatedSegmentSchema>;

export const createSegmentSchema = buildNewSegmentSchema(segmentFilterSchema).meta({ id: "CreateSegment" });

export type CreateSegment = z.input<typeof createSegmentSchema>;

export const updateSegmentSchema = buildSegmentChangeSchema(segmentFilterSchema).meta({
  id: "UpdateSegment",
});

/** Changes to a segment. Only the given fields change. `null` clears the description or the color. The slug never changes. */
export type UpdateSegment = z.input<typeof updateSegmentSchema>;

export function parseNewSegment(input: unknown): z.output<typeof createSegmentSchema> {
  return parseWithFilter(createSegmentSchema, buildNewSegmentSchema, input, parseNew);
}

export function parseSegmentChanges(input: unknown): z.output<typeof updateSegmentSchema> {
  return parseWithFilter(updateSegmentSchema, buildSegmentChangeSchema, input);
}

const { page, size, sort } = contactQuerySchema.shape;

export const segmentMembersQuerySchema = z.object({
  page,
  size,
  sort: sort.unwrap().default("createdAt,asc"),
});

export type SegmentMembersQuery = z.input<typeof segmentMembersQuerySchema>;

function buildNewSegmentSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z.object({
    name: nameOfNewSegment,
    description: description.nullish(),
    color: colorText.nullish(),
    filter,
    emitsEvents: z.boolean().default(false),
  });
}

function buildSegmentChangeSchema(filter: z.ZodType<SegmentFilter, SegmentFilter>) {
  return z.object({
    name: name.optional(),
    description: description.nullable().optional(),
    color: colorText.nullable().optional(),
    filter: filter.optional(),
    emitsEvents: z.boolean().optional(),
  });
}

export function savedSegmentOf(segment: StoredSegment): SavedSegment {
  return {
    id: segment.id,
    object: "segment",
    slug: segment.slug,
    name: segment.name,
    description: segment.description,
    color: segment.color,
    filter: filterOf(segment),
    emitsEvents: segment.emitsEvents,
    isRecounting: segment.isRecounting,
    ...timesOf(segment),
  };
}

export function segmentOf(segment: StoredSegment, members: number | null): Segment {
  return { ...savedSegmentOf(segment), members };
}

/** Parses a segment's filter, which was validated when it was saved. */
export function filterOf({ filter }: StoredSegment): SegmentFilter {
  return readFilter(filter);
}

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

const count = z.int().min(0).nullable();

const counts = { members: count, entered: count, left: count };

/** The schema for one day of a segment's statistics. The date is in the organization's time zone. */
export const daySegmentStatisticsSchema = z.object({ date: z.iso.date(), ...counts });

export const segmentStatisticsSchema = z
  .object({
    object: z.literal("segment_statistics"),
    from: z.iso.date(),
    to: z.iso.date(),
    ...counts,
    days: z.array(daySegmentStatisticsSchema),
  })
  .meta({ id: "SegmentStatistics" });

/**
 * A segment's daily statistics, in the organization's time zone. `members` is the member count at the end of the day, or the
 * current count for today. The total of `members` is the last day's count. `entered` and `left` count the customers who moved on
 * that day, or on any day for the totals. A count is `null` if it isn't known: for days before the segment was created, for future
 * days, and for days on which the members weren't counted. `entered` and `left` are also `null` if the segment emits no events.
 */
export type SegmentStatistics = z.output<typeof segmentStatisticsSchema>;
