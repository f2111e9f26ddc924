import { buildActorFilter } from "../access/actor-schema.js";
import { yieldIfDue } from "../base/concurrency/event-loop.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { notFound } from "../base/errors.js";
import { parse } from "../base/parse.js";
import { isStorable } from "../base/values/text.js";
import { eventOf, type OutboxEvent } from "../kernel/events/event-emitter.js";
import { findUser } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import { UseCases } from "../kernel/use-cases.js";
import type { ActorFilter } from "../storage/actors.js";
import type { EventHead, EventRange, StoredEvent } from "../storage/events.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { type EventQuery, eventQuerySchema } from "./event-schema.js";

/** Maximum size of a page's events, in UTF-16 code units: about 1 MiB. A page always has room for one event. */
const MAX_PAGE_LENGTH = 1_048_576;

/** Maximum number of events per read; the largest possible events add up to 2 MiB. */
const BATCH_SIZE = 100;

/** Number of events to convert before yielding to other work. */
const EVENTS_PER_YIELD = 50;

/** A page of events, oldest first, with the cursor for the next page. */
export interface EventPage {
  /** The items on this page. */
  readonly content: readonly OutboxEvent[];
  /**
   * The value to pass as `after` to get the next page. Keep it even if this page is empty, and use it to check for new events
   * later.
   */
  readonly next: string;
}

/** Reads an organization's events from its outbox. */
export class Events extends UseCases {
  /**
   * Lists events in commit order. A reader that always continues from `next` sees every event that retention hasn't removed yet.
   * Returns an empty page if the service has no outbox.
   * @param query `after` is the `next` value of an earlier page. By default, the list starts with the oldest event. `newest` limits
   *   the page to the newest `limit` events instead, and the filters apply to these events. `types` filters by event type (default:
   *   all). `userId`, which can be a service ID or an external ID, selects events about that user or their passes. `actorKind`,
   *   `actorId`, `subject`, `location`, and `receipt` filter by actor. `limit` is 1 to 1,000 (default: 100), but a page ends early
   *   when it reaches about 1 MiB. Calls that filter by type, user, or actor, or whose `limit` is above 100, queue with other
   *   costly reads.
   * @throws {LoyaltyError} `validation_failed`, `resource_not_found` for an unknown or deleted user, `access_denied` if the caller
   *   lacks `webhook:manage`, or `storage_unavailable` if too many calls are waiting.
   */
  async list(query: EventQuery = {}): Promise<EventPage> {
    const request = parse(eventQuerySchema, query);
    const { after, newest = false, types, userId, limit } = request;
    const by = buildActorFilter(request);
    const { tenant } = this;
    const isUnfiltered = types === undefined && userId === undefined && by === null;
    const { organizationId } = tenant;
    const readStart = function* (reader: StorageReader) {
      if (!newest) return Number(after ?? 0);
      return Math.max(0, (yield* reader.newestEventPosition()) - limit);
    };
    const readPage = function* (reader: StorageReader) {
      const start = yield* readStart(reader);
      if (isUnfiltered) return yield* readUnfiltered(reader, start, limit);
      const about = userId === undefined ? null : yield* readUserIds(reader, organizationId, userId);
      return yield* readFiltered(reader, { types: types ?? null, by, about }, start, limit);
    };
    if (isUnfiltered && limit <= BATCH_SIZE) return runStep(readPage(tenant.reader));
    return tenant.read(readPage, true);
  }

  /**
   * Returns one event from the outbox. The lookup is fast if the ID is a time-ordered UUID, like the IDs that the service creates.
   * Any other ID requires a search of the whole outbox, which queues with other costly reads.
   * @throws {LoyaltyError} `resource_not_found` if the event isn't in the outbox or was removed from it, `access_denied` if the
   *   caller lacks `webhook:manage`, or `storage_unavailable` if too many calls are waiting.
   */
  async get(eventId: string): Promise<OutboxEvent> {
    const { organizationId, reader } = this.tenant;
    const head = await findEventById(this.tenant, eventId);
    const events = head === null ? [] : await runStep(reader.eventsAt([head.position]));
    const event = events.find(({ id }) => id === eventId);
    if (event === undefined) throw notFound("event", eventId, organizationId);
    return eventOf(event);
  }
}

/** The events read for a page. */
interface PageContent {
  readonly events: readonly OutboxEvent[];
  /** The position of the page's last event; the page's start position if the page is empty. */
  readonly last: number;
  /** Whether the page is full, so that more events may follow. */
  readonly isFull: boolean;
}

/**
 * Reads events in batches until there are `limit` of them or the page reaches its maximum size; the event that reaches the maximum
 * is the last one in the page. Each batch is converted before the next is read, so that no event is in memory twice.
 */
function* readContent(
  read: (after: number, count: number) => Step<readonly StoredEvent[]>,
  after: number,
  limit: number,
): Step<PageContent> {
  const events: OutboxEvent[] = [];
  let last = after;
  let length = 0;
  for (;;) {
    const count = Math.min(BATCH_SIZE, limit - events.length);
    if (count === 0) return { events, last, isFull: true };
    yield* yieldIfDue();
    const batch: readonly StoredEvent[] = yield* read(last, count);
    for (const [index, event] of batch.entries()) {
      if (index > 0 && index % EVENTS_PER_YIELD === 0) yield* yieldIfDue();
      events.push(eventOf(event));
      last = event.position;
      length += event.data.length;
      if (length >= MAX_PAGE_LENGTH) return { events, last, isFull: true };
    }
    if (batch.length < count) return { events, last, isFull: false };
  }
}

function* readUnfiltered(reader: StorageReader, after: number, limit: number): Step<EventPage> {
  const read = (position: number, count: number) => reader.listEvents(null, position, count);
  const { events, last } = yield* readContent(read, after, limit);
  return { content: events, next: String(last) };
}

/** A filter for events. */
interface EventFilter {
  /** The event types to include, or `null` for all. */
  readonly types: readonly string[] | null;
  readonly by: ActorFilter | null;
  readonly about: readonly string[] | null;
}

/** Returns the IDs that events about a user refer to: the user's ID and the IDs of the user's passes. */
function* readUserIds(
  reader: StorageReader,
  organizationId: string,
  userId: string,
): Step<readonly string[]> {
  const user = yield* findUser(reader, organizationId, userId);
  return [user.id, ...(yield* reader.passesOfUsers([user])).map((pass) => pass.id)];
}

/** Reads a filtered page. The next page starts after the events that the filter rejected, so that they are not read again. */
function* readFiltered(
  reader: StorageReader,
  { types, by, about }: EventFilter,
  after: number,
  limit: number,
): Step<EventPage> {
  const read = (position: number, count: number) => reader.listEvents(types, position, count, by, about);
  const { events, last, isFull } = yield* readContent(read, after, limit);
  const end = isFull ? last : Math.max(after, yield* reader.newestEventPosition());
  return { content: events, next: String(end) };
}

/** Number of positions that one read searches. */
const SEARCH_WINDOW_SIZE = 5_000;

/** An event ID with a version 7 UUID, whose first 48 bits are its creation time. */
const UUID_V7 = /^evt_([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-/i;

/**
 * Finds an event in the outbox by its ID. IDs aren't indexed, but a UUIDv7's timestamp shows roughly where the event is, and
 * reading that part of the outbox usually finds it. Otherwise, the search expands outward from that position until it has covered
 * the whole outbox. IDs from other sources, and IDs of events that don't exist, always require this full search, which queues with
 * other costly reads.
 * @returns the event, or `null` if it isn't in the outbox.
 */
export async function findEventById(tenant: Tenant, id: string): Promise<EventHead | null> {
  if (!isStorable(id)) return null;
  const near = await tenant.read(function* (reader) {
    const [first] = yield* findRanges(reader, id);
    return first === undefined ? null : yield* reader.findEventIn(id, first);
  });
  if (near !== null) return near;
  return tenant.read(function* (reader) {
    for (const range of yield* findRanges(reader, id)) {
      const event = yield* reader.findEventIn(id, range);
      if (event !== null) return event;
      yield* yieldIfDue();
    }
    return null;
  }, true);
}

/**
 * Uses binary search to find the outbox position just before the first event created at or after the given time.
 * @param time milliseconds since the Unix epoch.
 */
export function* findPositionBefore(reader: StorageReader, time: number): Step<number> {
  let low = 0;
  let high = yield* reader.newestEventPosition();
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = yield* reader.listEventHeads(null, middle, 1);
    if (event === undefined || event.createdAt >= time) high = middle;
    else low = event.position;
  }
  return low;
}

/** Returns ranges that cover the whole outbox, starting with the range that most likely contains the event. */
function* findRanges(reader: StorageReader, id: string): Step<Iterable<EventRange>> {
  const [oldest] = yield* reader.listEventHeads(null, 0, 1);
  if (oldest === undefined) return [];
  const start = oldest.position - 1;
  const end = yield* reader.newestEventPosition();
  const time = parseEventTime(id);
  const near = time === null ? end : yield* findPositionBefore(reader, time);
  return generateRanges(start, Math.max(near, start), end);
}

/**
 * Splits the positions between `start` and `end` into ranges. Yields the range around `middle` first, then ranges farther and
 * farther from it in both directions.
 */
export function* generateRanges(start: number, middle: number, end: number): Generator<EventRange> {
  const halfWindow = SEARCH_WINDOW_SIZE / 2;
  let [after, to] = [Math.max(middle - halfWindow, start), Math.min(middle + halfWindow, end)];
  yield { after, to };
  while (after > start || to < end) {
    const [nextAfter, nextTo] = [
      Math.max(after - SEARCH_WINDOW_SIZE, start),
      Math.min(to + SEARCH_WINDOW_SIZE, end),
    ];
    if (nextTo > to) yield { after: to, to: nextTo };
    if (nextAfter < after) yield { after: nextAfter, to: after };
    [after, to] = [nextAfter, nextTo];
  }
}

function parseEventTime(id: string): number | null {
  const [, high, low] = UUID_V7.exec(id) ?? [];
  return high === undefined || low === undefined ? null : Number.parseInt(high + low, 16);
}
