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

/** The users whom combinations of tags and behavior make, and such combinations that are kept under a name. */
export class Segments extends UseCases {
  /**
   * Lists the users whom a filter matches now, oldest first: one page, and the exact total of the same state. Days are days of the
   * organization's time zone. A named segment that doesn't exist has no members.
   * @param input `page` from 0; `size` from 0, for the total alone, to 100 (default: 20).
   * @throws {LoyaltyError} `validation_failed` and `wrong_param_type` by the paths of a filter's leaves; `access_denied` without
   *   `segment:read`, or with the first scope that the caller lacks for what the leaves read.
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
   * Saves a filter under a name. The slug comes from the name and never changes. Of two concurrent calls for one slug, one
   * succeeds. No events are emitted for the first members.
   * @throws {LoyaltyError} `segment_already_exists`; `too_many_segments`; `validation_failed`, also on a name that makes no slug,
   *   and at the path of a leaf that names a missing segment; `access_denied` without `segment:write`, or with the first scope that
   *   the caller lacks for what the leaves read.
   */
  async create(input: CreateSegment & IdempotencyOptions): Promise<Segment> {
    return createSegment(this.tenant, input);
  }

  /**
   * All saved segments, oldest first, each with how many users it has now; `null` for what the caller may not see.
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
   * @returns the segment with how many users it has now; `null` for a caller who may not see what its filter reads.
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
   * Changes the given fields; `null` clears the description or the color. The slug stays when the name changes. If nothing changes,
   * `updatedAt` stays and no event is emitted. Users who enter or leave because of a new filter cause no events.
   * @returns the segment, and how many users entered and left it.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`, also at the path of a leaf that names a missing segment or
   *   one that contains this segment; `access_denied` as {@link create}.
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
   * Lists the current members of a segment: one page, with exact totals of the same state.
   * @param query `size` up to 200; larger values count as 200. `sort` as for contacts. Default: oldest first.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`; `access_denied` without `segment:read`, or with the first
   *   scope that the caller lacks for what the filter reads.
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
   * Explains whether a user is in a segment now: each leaf of its filter, with what the user has of that, since when, and when time
   * alone will change it.
   * @param userId the service id of the user, or the external id.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `segment:read`, or naming the first scope that the caller
   *   lacks of what the filter reads.
   */
  async explain(slug: string, userId: string): Promise<SegmentExplanation> {
    return explainSegment(this.tenant, slug, userId);
  }

  /**
   * Returns daily numbers of a segment: the members at the end of each day (today: now), and who entered and left if it emits
   * events.
   * @param query as for `statistics.get`.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`; `access_denied` without `segment:read`, or with the first
   *   scope that the caller lacks for what the filter reads.
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
