import { yieldIfDue } from "../concurrency/event-loop.js";
import { runStep, type Step } from "../concurrency/step.js";
import { notFound } from "../errors.js";
import { eventOf, type OutboxEvent } from "../events/event.js";
import { buildActorFilter } from "../resources/actor.js";
import { type EventQuery, eventQuerySchema } from "../resources/event.js";
import { parse } from "../resources/parse.js";
import type { ActorFilter } from "../storage/actors.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findUser } from "../tenant/find.js";
import { UseCases } from "../tenant/use-cases.js";
import { findEventById } from "./find-event.js";

/** The most that the events of a page hold, in UTF-16 units: about 1 MiB, and never less than one event. */
const MOST_LENGTH = 1_048_576;

/** Events per read; the largest ones are 2 MiB together. */
const READ_AT_ONCE = 100;

/** Events converted before other work takes its turn. */
const SHOWN_AT_ONCE = 50;

/** Some events, oldest first, and where the ones after them begin. */
export interface EventPage {
  readonly content: readonly OutboxEvent[];
  /** The `after` of the page to come, to be kept and asked with again later also when there was nothing new. */
  readonly next: string;
}

/** The events of an organization, as the outbox keeps them. */
export class Events extends UseCases {
  /**
   * Lists events in the order of their commits. A reader that continues from `next` misses no event, unless retention removed it
   * first. Empty if the service has no outbox.
   * @param query `after` is the `next` of an earlier page. Default: the start. With `newest` instead, the page considers the newest
   *   `limit` events only, which the other fields filter. `types`: default all. `userId`, a service id or external id, selects
   *   events about that user or their passes. `limit` is 1 to 1,000 (default: 100); a page larger than about 1 MiB has fewer
   *   events. `actorKind`, `actorId`, `subject`, `location` and `receipt` select by actor. With types, a user or an actor, and
   *   above 100 events, the call queues with other costly reads.
   * @throws {LoyaltyError} `validation_failed`; `resource_not_found` for an unknown or deleted user; `access_denied` without
   *   `webhook:manage`; `storage_unavailable` if too many calls wait.
   */
  async list(query: EventQuery = {}): Promise<EventPage> {
    const request = parse(eventQuerySchema, query);
    const { after, newest = false, types, userId, limit } = request;
    const by = buildActorFilter(request);
    const { tenant } = this;
    const isOfAll = types === undefined && userId === undefined && by === null;
    const { organizationId } = tenant;
    const startIn = function* (reader: StorageReader) {
      if (!newest) return Number(after ?? 0);
      return Math.max(0, (yield* reader.newestEventPosition(organizationId)) - limit);
    };
    const list = function* (reader: StorageReader) {
      const start = yield* startIn(reader);
      if (isOfAll) return yield* allEvents(reader, organizationId, start, limit);
      const about = userId === undefined ? null : yield* idsOfUser(reader, organizationId, userId);
      return yield* readFiltered(reader, organizationId, { types: types ?? null, by, about }, start, limit);
    };
    if (isOfAll && limit <= READ_AT_ONCE) return runStep(list(tenant.storage));
    return tenant.read(list, true);
  }

  /**
   * Returns one event of the outbox. An id that is a time-ordered UUID, as the service creates them, is found immediately; any
   * other id takes a search of the whole outbox, which queues with other costly reads.
   * @throws {LoyaltyError} `resource_not_found` for an event that the outbox doesn't have, or no longer has; `access_denied`
   *   without `webhook:manage`; `storage_unavailable` if too many calls wait.
   */
  async get(eventId: string): Promise<OutboxEvent> {
    const { organizationId, storage } = this.tenant;
    const head = await findEventById(this.tenant, eventId);
    const found = head === null ? [] : await runStep(storage.eventsAt(organizationId, [head.position]));
    const event = found.find(({ id }) => id === eventId);
    if (event === undefined) throw notFound("event", eventId, organizationId);
    return eventOf(event);
  }
}

/** Events of a page. */
interface Content {
  readonly events: readonly OutboxEvent[];
  /** The position of the last one; where the page begins when there are none. */
  readonly last: number;
  /** Whether there may be more behind it. */
  readonly isFull: boolean;
}

/**
 * Events read some at a time, until there are as many as asked for, or they are longer than a page should be:
 * then it ends with the one that made it so. What was read is shown before more is, so that it is not kept twice.
 */
function* readContent(
  read: (after: number, count: number) => Step<readonly StoredEvent[]>,
  after: number,
  limit: number,
): Step<Content> {
  const events: OutboxEvent[] = [];
  let last = after;
  let length = 0;
  for (;;) {
    const count = Math.min(READ_AT_ONCE, limit - events.length);
    if (count === 0) return { events, last, isFull: true };
    yield* yieldIfDue();
    const found: readonly StoredEvent[] = yield* read(last, count);
    for (const [at, event] of found.entries()) {
      if (at > 0 && at % SHOWN_AT_ONCE === 0) yield* yieldIfDue();
      events.push(eventOf(event));
      last = event.position;
      length += event.data.length;
      if (length >= MOST_LENGTH) return { events, last, isFull: true };
    }
    if (found.length < count) return { events, last, isFull: false };
  }
}

function* allEvents(
  reader: StorageReader,
  organizationId: string,
  after: number,
  limit: number,
): Step<EventPage> {
  const read = (at: number, count: number) => reader.listEvents(organizationId, null, at, count);
  const { events, last } = yield* readContent(read, after, limit);
  return { content: events, next: String(last) };
}

/** A choice of events. */
interface Filter {
  /** `null` for all. */
  readonly types: readonly string[] | null;
  readonly by: ActorFilter | null;
  readonly about: readonly string[] | null;
}

/** Returns the ids by which events name a user. */
function* idsOfUser(reader: StorageReader, organizationId: string, userId: string): Step<readonly string[]> {
  const user = yield* findUser(reader, organizationId, userId);
  return [user.id, ...(yield* reader.passesOfUsers(organizationId, [user])).map((pass) => pass.id)];
}

/** Events that were read in vain need not be read again, so the next page begins after them. */
function* readFiltered(
  reader: StorageReader,
  organizationId: string,
  { types, by, about }: Filter,
  after: number,
  limit: number,
): Step<EventPage> {
  const read = (at: number, count: number) => reader.listEvents(organizationId, types, at, count, by, about);
  const { events, last, isFull } = yield* readContent(read, after, limit);
  const end = isFull ? last : Math.max(after, yield* reader.newestEventPosition(organizationId));
  return { content: events, next: String(end) };
}
