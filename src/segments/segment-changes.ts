import { listAutomationSegments, parseTrigger } from "../automations/schema.js";
import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import { toSlug } from "../base/values/slug.js";
import { isStorable } from "../base/values/text.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { assertBelowLimit } from "../kernel/limits.js";
import { applyPatch } from "../kernel/patch.js";
import type { Change, Tenant } from "../kernel/tenant.js";
import { decodeAudience } from "../messages/schema.js";
import type { MessagesWithRecipient, StoredMessage } from "../storage/messages.js";
import type { StoredSegment } from "../storage/saved-segments.js";
import { StorageConflict, type StorageReader, type StorageTransaction } from "../storage/storage-adapter.js";
import {
  canonicalizeFilter,
  listLeafScopes,
  listLeaves,
  readFilter,
  type SegmentFilter,
} from "./filter-schema.js";
import { runPastMidnights, startRecount } from "./follower.js";
import { findAllMatches } from "./matching.js";
import { adjustFollower, hasManyUsers, recount } from "./recount.js";
import {
  assertReferences,
  assertWithinLimits,
  buildSavedFilters,
  type FilterSize,
  filtersWithin,
  findReferringSegments,
  resolveFilter,
  type SavedFilters,
  savedFiltersFor,
  scopesWithin,
  segmentsIn,
} from "./saved-filters.js";
import {
  type CreateSegment,
  filterOf,
  parseNewSegment,
  parseSegmentChanges,
  type Segment,
  savedSegmentOf,
  segmentOf,
  type UpdatedSegment,
  type UpdateSegment,
} from "./schema.js";

/** Maximum number of references that an error lists. */
const MAX_NAMED = 10;

/** Maximum number of messages per read. */
const PAGE = 100;

/** Maximum number of leaf evaluations (leaves times customers) within a change. */
const MAX_SCANNED = 50_000;

/** The size of a segment, and how many users entered and left because its filter changed. */
interface Numbers {
  readonly members: number;
  readonly entered: number;
  readonly left: number;
}

export async function createSegment(
  tenant: Tenant,
  input: CreateSegment & IdempotencyOptions,
): Promise<Segment> {
  const { filter: filterInput, name, description, color, emitsEvents } = parseNewSegment(input);
  const text = JSON.stringify(canonicalizeFilter(filterInput));
  const filter = readFilter(text);
  tenant.require(listLeafScopes(filter));
  const { organizationId } = tenant;
  const countMatches = async () => {
    await runPastMidnights(tenant);
    return countMembersBefore(tenant, (reader) => computeNumbers(reader, tenant, filter, filter));
  };
  const segment = await tenant.changeAfter(
    countMatches,
    ["segments.create", input],
    function* (earlierNumbers, { tx, record }) {
      const savedFilters = buildSavedFilters(yield* tx.listSegments());
      assertReferences(filter, savedFilters, null);
      tenant.require(scopesWithin(filter, savedFilters));
      if (emitsEvents) assertOutbox(tenant);
      yield* assertBelowLimit(tx, tenant, "segments");
      const now = tenant.now();
      const segment: StoredSegment = {
        id: tenant.newId("seg"),
        slug: toSlug(name),
        name,
        description: description ?? null,
        color: color ?? null,
        filter: text,
        emitsEvents,
        emitsSince: emitsEvents ? now : null,
        isRecounting: false,
        revision: 0,
        createdAt: now,
        updatedAt: now,
      };
      yield* insert(tx, segment);
      yield* adjustFollower(tx, tenant);
      if (emitsEvents) {
        const hasTime = yield* canCount(tx, tenant, [segment], savedFilters);
        yield* recount(tx, organizationId, [segment], hasTime);
      }
      const storedSegment = yield* findSegment(tx, organizationId, segment.slug);
      record("segment.created", savedSegmentOf(storedSegment));
      const { members } = earlierNumbers ?? (yield* computeNumbers(tx, tenant, filter, filter));
      return segmentOf(storedSegment, members);
    },
  );
  if (segment.isRecounting) startRecount(tenant);
  return segment;
}

function* insert(tx: StorageTransaction, segment: StoredSegment): Step<void> {
  try {
    yield* tx.insertSegment(segment);
  } catch (error) {
    if (!(error instanceof StorageConflict) || error.key !== "slug") throw error;
    throw createLoyaltyError("segment_already_exists", [segment.slug], { cause: error });
  }
}

/**
 * Updates a segment. Implements `Segments.update`.
 * @returns the segment, with counts of the users who entered and left it because of the update.
 */
export async function updateSegment(
  tenant: Tenant,
  slug: string,
  input: UpdateSegment & IdempotencyOptions,
): Promise<UpdatedSegment> {
  const { filter: filterInput, ...fields } = parseSegmentChanges(input);
  const text = filterInput && JSON.stringify(canonicalizeFilter(filterInput));
  const filter = text === undefined ? undefined : readFilter(text);
  if (filter !== undefined) tenant.require(listLeafScopes(filter));
  const { organizationId } = tenant;
  const countMatches = async () => {
    await runPastMidnights(tenant);
    return countMembersBefore(tenant, function* (reader) {
      const before = filterOf(yield* findSegment(reader, organizationId, slug));
      return yield* computeNumbers(reader, tenant, before, filter ?? before);
    });
  };
  const segment = await tenant.changeAfter(
    countMatches,
    ["segments.update", slug, input],
    function* (earlierNumbers, change) {
      const { tx } = change;
      const before = yield* findSegment(tx, organizationId, slug);
      const filterBefore = filterOf(before);
      tenant.require(scopesWithin(filterBefore, yield* savedFiltersFor(tx, filterBefore)));
      if (filter !== undefined && text !== before.filter) {
        const savedFilters = buildSavedFilters(yield* tx.listSegments());
        assertReferences(filter, savedFilters, slug);
        tenant.require(scopesWithin(filter, savedFilters));
      }
      if (fields.emitsEvents === true) assertOutbox(tenant);
      const after = applyPatch(before, { ...fields, filter: text }, tenant.now());
      if (before.emitsEvents && !after.emitsEvents) {
        const started = yield* automationsStartedBy(tx, before);
        if (started.length > 0) throw createLoyaltyError("segment_in_use", started);
      }
      const numbers =
        earlierNumbers ?? (yield* computeNumbers(tx, tenant, filterBefore, filter ?? filterBefore));
      if (after !== before) yield* applyInput(change, before, after);
      return { ...segmentOf(yield* findSegment(tx, organizationId, slug), numbers.members), ...numbers };
    },
  );
  if (segment.isRecounting) startRecount(tenant);
  return segment;
}

/** Stores a changed segment, and recounts its members and the members of the segments that contain it. */
function* applyInput(
  { tenant, tx, record }: Change,
  before: StoredSegment,
  after: StoredSegment,
): Step<void> {
  const { organizationId } = tenant;
  const emitsSince = before.emitsEvents ? before.emitsSince : tenant.now();
  const emission = after.emitsEvents ? { emitsSince } : { emitsSince: null, isRecounting: false };
  yield* tx.updateSegment({ ...after, ...emission });
  yield* adjustFollower(tx, tenant);
  const isOther = after.filter !== before.filter;
  if (isOther || (after.emitsEvents && !before.emitsEvents))
    yield* recountSegment(tenant, tx, after, isOther);
  record("segment.updated", savedSegmentOf(yield* findSegment(tx, organizationId, after.slug)));
}

/**
 * Recounts the members of a segment.
 * @param isOther `true` if its filter has changed: then segments that contain it are recounted too.
 */
function* recountSegment(
  tenant: Tenant,
  tx: StorageTransaction,
  { id, slug }: StoredSegment,
  isOther: boolean,
): Step<void> {
  const { organizationId } = tenant;
  const all = yield* tx.listSegments();
  const savedFilters = buildSavedFilters(all);
  const referrers = new Set(isOther ? findReferringSegments(slug, savedFilters) : []);
  const sizes = new Map<string, FilterSize>();
  const dependentSegments = all.filter((candidate) => referrers.has(candidate.slug));
  for (const dependent of dependentSegments)
    assertWithinLimits(filterOf(dependent), savedFilters, "filter", sizes);
  const changedSegment = all.filter((candidate) => candidate.id === id);
  const emitting = [...changedSegment, ...dependentSegments].filter(({ emitsEvents }) => emitsEvents);
  const hasTime = yield* canCount(tx, tenant, emitting, savedFilters);
  yield* recount(tx, organizationId, emitting, hasTime);
}

/** Returns whether the members of segments can be counted within the change. In a host's transaction, they always are. */
function* canCount(
  reader: StorageReader,
  { isJoining }: Tenant,
  segments: readonly StoredSegment[],
  savedFilters: SavedFilters,
): Step<boolean> {
  if (isJoining || segments.length === 0) return true;
  if (yield* hasManyUsers(reader)) return false;
  const filters = segments.flatMap((segment) => filtersWithin(filterOf(segment), savedFilters));
  const leaves = filters.reduce((sum, filter) => sum + listLeaves(filter).length, 0);
  return leaves * (yield* reader.readTagSets([])).users.count() <= MAX_SCANNED;
}

export async function deleteSegment(
  tenant: Tenant,
  slug: string,
  options: IdempotencyOptions,
): Promise<void> {
  const { organizationId } = tenant;
  await tenant.change(["segments.delete", slug, options], function* ({ tx, record }) {
    const segment = yield* findSegment(tx, organizationId, slug);
    const users = yield* findSegmentReferences(tx, segment);
    if (users.length > 0) throw createLoyaltyError("segment_in_use", users);
    yield* tx.deleteSegment(segment.id);
    yield* adjustFollower(tx, tenant);
    record("segment.deleted", savedSegmentOf(segment));
  });
}

/** @throws {LoyaltyError} `outbox_disabled` if the service stores no events. */
function assertOutbox({ engine }: Tenant): void {
  if (engine.delivery.outbox === null) throw createLoyaltyError("outbox_disabled");
}

/**
 * Finds a segment by its slug.
 * @throws {LoyaltyError} `resource_not_found`.
 */
export function* findSegment(
  reader: StorageReader,
  organizationId: string,
  slug: string,
): Step<StoredSegment> {
  const segment = isStorable(slug) ? yield* reader.findSegment(slug) : null;
  if (segment === null) {
    const similarSlug = toSlug(slug);
    const hasNear =
      similarSlug !== slug && similarSlug !== "" && (yield* reader.findSegment(similarSlug)) !== null;
    throw notFound("segment", slug, organizationId, hasNear ? similarSlug : undefined);
  }
  return segment;
}

/**
 * Counts before the transaction, so that other changes don't wait for the count. Returns `null` if the transaction itself counts,
 * as a host's transaction always does.
 */
async function countMembersBefore(
  tenant: Tenant,
  count: (reader: StorageReader) => Step<Numbers>,
): Promise<Numbers | null> {
  return tenant.isJoining ? null : tenant.read(count, true, true);
}

function* computeNumbers(
  reader: StorageReader,
  tenant: Tenant,
  before: SegmentFilter,
  after: SegmentFilter,
): Step<Numbers> {
  const { organizationId } = tenant;
  const at = tenant.now();
  const now = yield* findAllMatches(reader, { organizationId, filter: after, at });
  const members = now.count();
  if (before === after) return { members, entered: 0, left: 0 };
  const matchesThen = yield* findAllMatches(reader, { organizationId, filter: before, at });
  return { members, entered: now.without(matchesThen).count(), left: matchesThen.without(now).count() };
}

/**
 * Returns the slugs or IDs of at most 10 resources (segments, automations, and messages) that use a segment and therefore prevent
 * it from being deleted.
 */
function* findSegmentReferences(reader: StorageReader, { slug }: StoredSegment): Step<readonly string[]> {
  const filters = buildSavedFilters(yield* reader.listSegments());
  const referrers = [...filters].flatMap(([name, filter]) => (segmentsIn(filter).has(slug) ? [name] : []));
  const automations = yield* reader.listAutomations();
  const referringAutomations = automations.filter((automation) =>
    listAutomationSegments(automation).has(slug),
  );
  referrers.push(...referringAutomations.map(({ id }) => id));
  if (referrers.length < MAX_NAMED) referrers.push(...(yield* findMessagesTo(reader, slug)));
  return referrers.slice(0, MAX_NAMED);
}

/**
 * Returns the IDs of at most 10 automations that start when a user enters the segment. While there are any, the segment must keep
 * emitting events.
 */
function* automationsStartedBy(reader: StorageReader, { slug }: StoredSegment): Step<readonly string[]> {
  const automations = yield* reader.listAutomations();
  const started = automations.filter((automation) => {
    const trigger = parseTrigger(automation);
    return "segmentEntered" in trigger && trigger.segmentEntered === slug;
  });
  return started.map(({ id }) => id).slice(0, MAX_NAMED);
}

/** Returns the IDs of messages that haven't ended and whose audience names a segment, in order of ID. */
function* findMessagesTo(reader: StorageReader, slug: string): Step<readonly string[]> {
  const messageIds: string[] = [];
  // A slug has no characters that JSON escapes, so every audience with such a leaf contains this string.
  const searchText = `"segment":${JSON.stringify(slug)}`;
  for (let after: string | null = ""; after !== null && messageIds.length < MAX_NAMED; ) {
    const messages: MessagesWithRecipient = yield* reader.messagesWithRecipient(searchText, after, PAGE);
    for (const message of yield* reader.messagesById(messages.ids)) {
      const filter = resolveFilter(decodeAudience(message));
      if (!hasEnded(message) && filter !== null && segmentsIn(filter).has(slug)) messageIds.push(message.id);
    }
    after = messages.next;
  }
  return messageIds;
}

function hasEnded({ status }: Pick<StoredMessage, "status">): boolean {
  return status === "SENT" || status === "CANCELED" || status === "EXPIRED";
}
