import type * as z from "zod";
import type { Step } from "../base/concurrency/step.js";
import { offsetOf, type Page, pageOf } from "../base/page.js";
import { parse } from "../base/parse.js";
import { dayIn } from "../base/values/calendar-days.js";
import { dateOf } from "../base/values/clock.js";
import { contactSort } from "../customers/contact-schema.js";
import { type User, userOf } from "../customers/schema.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { UseCases } from "../kernel/use-cases.js";
import { zoneOf } from "../settings/schema.js";
import { resolveRange, type StatisticsQuery, statisticsQuerySchema } from "../statistics/schema.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { explainSegment } from "./explain-segment.js";
import type { SegmentExplanation } from "./explanation-schema.js";
import { listLeafScopes, parseSegmentQuery, type SegmentQuery } from "./filter-schema.js";
import { type FilterQuery, findAllMatches, findMatches } from "./matching.js";
import { hasBehavior } from "./plan.js";
import { buildSavedFilters, savedFiltersFor, scopesWithin } from "./saved-filters.js";
import {
  type CreateSegment,
  filterOf,
  type Segment,
  type SegmentMembersQuery,
  type SegmentStatistics,
  segmentMembersQuerySchema,
  segmentOf,
  type UpdatedSegment,
  type UpdateSegment,
} from "./schema.js";
import { createSegment, deleteSegment, findSegment, updateSegment } from "./segment-changes.js";

const unknownNumbers: Numbers = { members: null, entered: null, left: null };

/** Finds users by their tags and behavior, and manages saved segments. */
export class Segments extends UseCases {
  /**
   * Lists one page of the users who match a filter now, with the exact total from the same snapshot. Days are in the
   * organization's time zone. If the filter refers to a segment that doesn't exist, that segment counts as empty.
   * @param input the filter, the page, and the sort order. `page` starts at 0. `size` is at most 100 (default: 20), or 0 to return
   *   only the total. `sort` accepts the same values as for contacts. Default: oldest first.
   * @throws {LoyaltyError} `validation_failed` or `wrong_param_type`, keyed by the paths of the filter's conditions; or
   *   `access_denied` if the caller lacks `segment:read` or a scope that the filter's conditions need.
   */
  async query(input: SegmentQuery): Promise<Page<User>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { filter, page, size, sort } = parseSegmentQuery(input);
    // The matches are found in this order, so a page of them is read without the others.
    const isInOrder = sort === "createdAt,asc" || size === 0;
    tenant.require(listLeafScopes(filter));
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const savedFilters = yield* savedFiltersFor(reader, filter);
      tenant.require(scopesWithin(filter, savedFilters));
      const filterQuery = { organizationId, filter, at, saved: savedFilters };
      if (!isInOrder) return yield* readMembers(reader, filterQuery, { page, size, sort });
      const { total, ordinals } = yield* findMatches(reader, filterQuery, offsetOf({ page, size }), size);
      const users = yield* reader.usersByOrdinal(ordinals);
      const totalPages = size === 0 ? 0 : Math.ceil(total / size);
      return { content: users.map(userOf), totalElements: total, totalPages, number: page, size };
    }, !isInOrder || hasBehavior(filter));
  }

  /**
   * Saves a filter as a segment. The slug is derived from the name and never changes. If concurrent calls derive the same slug,
   * only one succeeds. No events are emitted for the initial members.
   * @throws {LoyaltyError} `segment_already_exists`; `too_many_segments`; `validation_failed`, including for a name from which no
   *   slug can be derived, and at the path of each condition that refers to a missing segment; or `access_denied` if the caller
   *   lacks `segment:write` or a scope that the filter's conditions need.
   */
  async create(input: CreateSegment & IdempotencyOptions): Promise<Segment> {
    return createSegment(this.tenant, input);
  }

  /**
   * Lists all saved segments, oldest first, with their current member counts. A count is `null` if the segment's filter needs a
   * scope that the caller lacks.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `segment:read`.
   */
  async list(): Promise<Segment[]> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const segments = yield* reader.listSegments();
      const savedFilters = buildSavedFilters(segments);
      const response: Segment[] = [];
      for (const segment of segments) {
        const filter = filterOf(segment);
        const maySee = tenant.findAccessError(scopesWithin(filter, savedFilters), false) === null;
        const matches = maySee
          ? yield* findMatches(reader, { organizationId, filter, at, saved: savedFilters }, 0, 0)
          : null;
        response.push(segmentOf(segment, matches?.total ?? null));
      }
      return response;
    }, true);
  }

  /**
   * Returns a segment with its current member count. The count is `null` if the segment's filter needs a scope that the caller
   * lacks.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `segment:read`.
   */
  async get(slug: string): Promise<Segment> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const segment = yield* findSegment(reader, organizationId, slug);
      const filter = filterOf(segment);
      const savedFilters = yield* savedFiltersFor(reader, filter);
      const maySee = tenant.findAccessError(scopesWithin(filter, savedFilters), false) === null;
      const matches = maySee
        ? yield* findMatches(reader, { organizationId, filter, at, saved: savedFilters }, 0, 0)
        : null;
      return segmentOf(segment, matches?.total ?? null);
    }, true);
  }

  /**
   * Updates a segment. Fields that aren't given stay unchanged. `null` clears the description or the color. Renaming a segment
   * doesn't change its slug. If nothing changes, `updatedAt` stays the same and no event is emitted. No events are emitted for
   * users who enter or leave because the filter changed.
   * @returns the segment, with counts of the users who entered and left it.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`, including at the path of each condition that refers to a
   *   missing segment or to a segment that refers back to this one; or `access_denied` in the same cases as {@link create}.
   */
  async update(slug: string, input: UpdateSegment & IdempotencyOptions): Promise<UpdatedSegment> {
    return updateSegment(this.tenant, slug, input);
  }

  /**
   * Deletes a segment. No events are emitted for its former members.
   * @throws {LoyaltyError} `resource_not_found`, `segment_in_use`, or `access_denied` if the caller lacks `segment:write`.
   */
  async delete(slug: string, options: IdempotencyOptions = {}): Promise<void> {
    await deleteSegment(this.tenant, slug, options);
  }

  /**
   * Lists one page of a segment's current members, with exact totals from the same snapshot.
   * @param query the page and sort order. `size` is at most 200. `sort` accepts the same values as for contacts. Default: oldest
   *   first.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `segment:read` or a
   *   scope that the filter needs.
   */
  async members(slug: string, query: SegmentMembersQuery = {}): Promise<Page<User>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { page, size, sort } = parse(segmentMembersQuerySchema, query);
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const filter = filterOf(yield* findSegment(reader, organizationId, slug));
      const savedFilters = yield* savedFiltersFor(reader, filter);
      tenant.require(scopesWithin(filter, savedFilters));
      const filterQuery = { organizationId, filter, at, saved: savedFilters };
      return yield* readMembers(reader, filterQuery, { page, size, sort });
    }, true);
  }

  /**
   * Explains why a user is or isn't in a segment now. For each condition in the filter, shows the user's current value, when the
   * result last changed, and when the passage of time alone will change it again.
   * @param userId the user's service ID or external ID.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `segment:read` or a scope that the filter
   *   needs.
   */
  async explain(slug: string, userId: string): Promise<SegmentExplanation> {
    return explainSegment(this.tenant, slug, userId);
  }

  /**
   * Returns a segment's daily statistics. They include the member count at the end of each day, or the current count for today. If
   * the segment emits events, they also include how many users entered and left each day.
   * @param query the range of days, as in `statistics.get`.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `segment:read` or a
   *   scope that the filter needs.
   */
  async statistics(slug: string, query: StatisticsQuery = {}): Promise<SegmentStatistics> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const statisticsQuery = parse(statisticsQuerySchema, query);
    const now = tenant.now();
    return tenant.read(function* (reader) {
      const segment = yield* findSegment(reader, organizationId, slug);
      const filter = filterOf(segment);
      tenant.require(scopesWithin(filter, yield* savedFiltersFor(reader, filter)));
      return yield* readSegmentStatistics(
        reader,
        segment,
        { organizationId, filter, at: now },
        statisticsQuery,
      );
    }, true);
  }
}

/** Reads a page of the users who match a filter, in any order of contacts. */
function* readMembers(
  reader: StorageReader,
  filterQuery: FilterQuery,
  { page, size, sort }: z.output<typeof segmentMembersQuerySchema>,
): Step<Page<User>> {
  const { users, total } = yield* reader.listContacts({
    among: yield* findAllMatches(reader, filterQuery),
    search: null,
    stamps: null,
    sort: contactSort[sort],
    offset: offsetOf({ page, size }),
    limit: size,
  });
  return pageOf(users.map(userOf), total, { page, size });
}

type Numbers = Pick<SegmentStatistics, "members" | "entered" | "left">;

/**
 * Reads a segment's statistics for each day in a range.
 * @param filterQuery the segment's filter, as of now.
 */
function* readSegmentStatistics(
  reader: StorageReader,
  segment: StoredSegment,
  filterQuery: FilterQuery,
  statisticsQuery: StatisticsQuery,
): Step<SegmentStatistics> {
  const timeZone = zoneOf(yield* reader.findSettings());
  const today = dayIn(timeZone, filterQuery.at);
  const first = dayIn(timeZone, segment.createdAt);
  const firstReported = dayIn(timeZone, segment.emitsSince ?? segment.createdAt);
  const { from, to } = resolveRange(statisticsQuery, today);
  const storedDays = new Map((yield* reader.segmentDays(segment.id, from, to)).map((day) => [day.day, day]));
  const isOfToday = from <= today && today <= to;
  const members = isOfToday ? (yield* findMatches(reader, filterQuery, 0, 0)).total : null;
  const getNumbersOn = (day: number): Numbers => {
    if (day < first || day > today) return unknownNumbers;
    const storedDay = storedDays.get(day);
    const isReported = segment.emitsEvents && day >= firstReported;
    return {
      members: day === today ? members : (storedDay?.members ?? null),
      entered: isReported ? (storedDay?.entered ?? 0) : null,
      left: isReported ? (storedDay?.left ?? 0) : null,
    };
  };
  const days = Array.from({ length: to - from + 1 }, (_, at) => {
    return { date: dateOf(from + at), ...getNumbersOn(from + at) };
  });
  return {
    object: "segment_statistics",
    from: dateOf(from),
    to: dateOf(to),
    members: days.at(-1)?.members ?? null,
    entered: sumOrNull(days.map(({ entered }) => entered)),
    left: sumOrNull(days.map(({ left }) => left)),
    days,
  };
}

/** Returns the sum of the known counts; `null` if none is known. */
function sumOrNull(counts: readonly (number | null)[]): number | null {
  const knownCounts = counts.filter((count) => count !== null);
  return knownCounts.length === 0 ? null : knownCounts.reduce((sum, count) => sum + count, 0);
}
