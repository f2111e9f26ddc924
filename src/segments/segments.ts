import type { IdempotencyOptions } from "../idempotency/idempotent-call.js";
import { contactSort } from "../resources/contact.js";
import { offsetOf, type Page, pageOf } from "../resources/page.js";
import { parse } from "../resources/parse.js";
import {
  type CreateSegment,
  filterOf,
  type Segment,
  type SegmentMembersQuery,
  segmentMembersQuerySchema,
  segmentOf,
  type UpdatedSegment,
  type UpdateSegment,
} from "../resources/segment.js";
import type { SegmentExplanation } from "../resources/segment-explanation.js";
import { parseSegmentQuery, type SegmentQuery, scopesOfLeaves } from "../resources/segment-filter.js";
import type { SegmentStatistics } from "../resources/segment-statistics.js";
import { type StatisticsQuery, statisticsQuerySchema } from "../resources/statistics.js";
import { type User, userOf } from "../resources/user.js";
import { UseCases } from "../tenant/use-cases.js";
import { explainSegment } from "./explain-segment.js";
import { findAllMatches, findMatches } from "./matching.js";
import { hasBehavior } from "./plan.js";
import { buildSavedFilters, savedFiltersFor, scopesWithin } from "./saved-filters.js";
import { createSegment, deleteSegment, findSegment, updateSegment } from "./segment-changes.js";
import { readSegmentStatistics } from "./segment-statistics.js";

/** Finds users by combinations of tags and behavior, and manages saved segments. */
export class Segments extends UseCases {
  /**
   * Lists one page of the users who match a filter now, oldest first, with the exact total from the same snapshot. Days are in the
   * organization's time zone. A named segment that doesn't exist has no members.
   * @param input `page` from 0; `size` from 0, for the total alone, to 100 (default: 20).
   * @throws {LoyaltyError} `validation_failed` and `wrong_param_type`, keyed by the paths of the filter's leaves; `access_denied`
   *   without `segment:read`, or naming the first scope that the caller lacks for the filter's leaves.
   */
  async query(input: SegmentQuery): Promise<Page<User>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { filter, page, size } = parseSegmentQuery(input);
    tenant.require(scopesOfLeaves(filter));
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const saved = yield* savedFiltersFor(reader, organizationId, filter);
      tenant.require(scopesWithin(filter, saved));
      const question = { organizationId, filter, at, saved };
      const { total, ordinals } = yield* findMatches(reader, question, offsetOf({ page, size }), size);
      const users = yield* reader.usersByOrdinal(organizationId, ordinals);
      const totalPages = size === 0 ? 0 : Math.ceil(total / size);
      return { content: users.map(userOf), totalElements: total, totalPages, number: page, size };
    }, hasBehavior(filter));
  }

  /**
   * Saves a filter under a name. The slug is derived from the name and never changes. If two calls use the same slug concurrently,
   * only one succeeds. No events are emitted for the initial members.
   * @throws {LoyaltyError} `segment_already_exists`; `too_many_segments`; `validation_failed`, also for a name from which no slug
   *   can be derived, and at the path of a leaf that names a missing segment; `access_denied` without `segment:write`, or naming
   *   the first scope that the caller lacks for the filter's leaves.
   */
  async create(input: CreateSegment & IdempotencyOptions): Promise<Segment> {
    return createSegment(this.tenant, input);
  }

  /**
   * Lists all saved segments, oldest first, each with its current number of users, or `null` if the caller lacks a scope for it.
   * @throws {LoyaltyError} `access_denied` without `segment:read`.
   */
  async list(): Promise<Segment[]> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const segments = yield* reader.listSegments(organizationId);
      const saved = buildSavedFilters(segments);
      const shown: Segment[] = [];
      for (const segment of segments) {
        const filter = filterOf(segment);
        const maySee = tenant.findAccessError(scopesWithin(filter, saved), false) === null;
        const found = maySee ? yield* findMatches(reader, { organizationId, filter, at, saved }, 0, 0) : null;
        shown.push(segmentOf(segment, found?.total ?? null));
      }
      return shown;
    }, true);
  }

  /**
   * @returns the segment with its current number of users, or `null` as the number if the caller lacks a scope for its filter.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `segment:read`.
   */
  async get(slug: string): Promise<Segment> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const segment = yield* findSegment(reader, organizationId, slug);
      const filter = filterOf(segment);
      const saved = yield* savedFiltersFor(reader, organizationId, filter);
      const maySee = tenant.findAccessError(scopesWithin(filter, saved), false) === null;
      const found = maySee ? yield* findMatches(reader, { organizationId, filter, at, saved }, 0, 0) : null;
      return segmentOf(segment, found?.total ?? null);
    }, true);
  }

  /**
   * Changes only the given fields; `null` clears the description or the color. The slug stays when the name changes. If nothing
   * changes, `updatedAt` stays and no event is emitted. Users who enter or leave because of a new filter cause no events.
   * @returns the segment, with how many users entered and left it.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`, also at the path of a leaf that names a missing segment or
   *   one that contains this segment; `access_denied` as for {@link create}.
   */
  async update(slug: string, input: UpdateSegment & IdempotencyOptions): Promise<UpdatedSegment> {
    return updateSegment(this.tenant, slug, input);
  }

  /**
   * Deletes a segment. No events are emitted for its members.
   * @throws {LoyaltyError} `resource_not_found`; `segment_in_use`; `access_denied` without `segment:write`.
   */
  async delete(slug: string, options: IdempotencyOptions = {}): Promise<void> {
    await deleteSegment(this.tenant, slug, options);
  }

  /**
   * Lists one page of a segment's current members, with exact totals from the same snapshot.
   * @param query `size` up to 200; larger values count as 200. `sort` as for contacts. Default: oldest first.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`; `access_denied` without `segment:read`, or naming the first
   *   scope that the caller lacks for the filter.
   */
  async members(slug: string, query: SegmentMembersQuery = {}): Promise<Page<User>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { page, size, sort } = parse(segmentMembersQuerySchema, query);
    const at = tenant.now();
    return tenant.read(function* (reader) {
      const filter = filterOf(yield* findSegment(reader, organizationId, slug));
      const saved = yield* savedFiltersFor(reader, organizationId, filter);
      tenant.require(scopesWithin(filter, saved));
      const among = yield* findAllMatches(reader, { organizationId, filter, at, saved });
      const asked = {
        among,
        search: null,
        stamps: null,
        sort: contactSort[sort],
        offset: offsetOf({ page, size }),
        limit: size,
      };
      const { users, total } = yield* reader.listContacts(organizationId, asked);
      return pageOf(users.map(userOf), total, { page, size });
    }, true);
  }

  /**
   * Explains whether a user is in a segment now. For each leaf of the filter, returns the user's current value, since when they
   * have had it, and when time alone will change the result.
   * @param userId the user's service id or external id.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `segment:read`, or naming the first scope that the caller
   *   lacks for the filter.
   */
  async explain(slug: string, userId: string): Promise<SegmentExplanation> {
    return explainSegment(this.tenant, slug, userId);
  }

  /**
   * Returns a segment's daily statistics: the members at the end of each day (today: now), and how many users entered and left if
   * it emits events.
   * @param query as for `statistics.get`.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`; `access_denied` without `segment:read`, or naming the first
   *   scope that the caller lacks for the filter.
   */
  async statistics(slug: string, query: StatisticsQuery = {}): Promise<SegmentStatistics> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const asked = parse(statisticsQuerySchema, query);
    const now = tenant.now();
    return tenant.read(function* (reader) {
      const filter = filterOf(yield* findSegment(reader, organizationId, slug));
      tenant.require(scopesWithin(filter, yield* savedFiltersFor(reader, organizationId, filter)));
      return yield* readSegmentStatistics(reader, organizationId, slug, asked, now);
    }, true);
  }
}
