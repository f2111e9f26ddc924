import { turns } from "../concurrency/event-loop.js";
import { run, type Step } from "../concurrency/step.js";
import { notFound } from "../errors.js";
import { eventOf, type KeptEvent } from "../events/event.js";
import { actorFilterOf } from "../resources/actor.js";
import { type EventQuery, eventQuerySchema } from "../resources/event.js";
import { parse } from "../resources/parse.js";
import type { ActorFilter } from "../storage/actors.js";
import type { StoredEvent } from "../storage/events.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { findUser } from "../tenant/find.js";
import { UseCases } from "../tenant/use-cases.js";
import { eventById } from "./event-by-id.js";

/** The most that the events of a page hold, in UTF-16 units: about 1 MiB, and never less than one event. */
const MOST_LENGTH = 1_048_576;

/** The largest events that are read at once are 2 MiB together. */
const READ_AT_ONCE = 100;

/** So many events are shown before others have their turn. */
const SHOWN_AT_ONCE = 50;

/** Some events, oldest first, and where the ones after them begin. */
export interface EventPage {
  readonly content: readonly KeptEvent[];
  /** The `after` of the page to come, to be kept and asked with again later also when there was nothing new. */
  readonly next: string;
}

/** The events of an organization, as the outbox keeps them. */
export class Events extends UseCases {
  /**
   * Events in the order of their commits. Who goes on from `next` misses none, unless it was removed for its age or
   * their number before it was read. Empty when the service has no outbox.
   * @param query `after` is the `next` of an earlier page, the start unless given; with `newest` in its place the page looks at the
   *   newest `limit` events alone, of which the other fields choose; `types` are all unless given; `userId`, a
   *   service id or external id, asks for what is about that user or of a pass that the user has;
   *   `limit` is 1 to 1,000, 100 unless given; a page that would hold more than about 1 MiB has fewer; `actorKind`,
   *   `actorId`, `subject`, `location` and `receipt` ask for what those alone have done who were so. With types, a user or an actor,
   *   and for more than 100 events, it waits for its turn among the reads that may take long.
   * @throws {LoyaltyError} `validation_failed`; `resource_not_found` when there is no such user, or not any more; `access_denied`
   *   without `webhook:manage`; `storage_unavailable` when too many
   *   wait.
   */
  async list(query: EventQuery = {}): Promise<EventPage> {
    const request = parse(eventQuerySchema, query);
    const { after, newest = false, types, userId, limit } = request;
    const by = actorFilterOf(request);
    const { tenant } = this;
    const isOfAll = types === undefined && userId === undefined && by === null;
    const { organizationId } = tenant;
    const startIn = function* (reader: StorageReader) {
      if (!newest) return Number(after ?? 0);
      return Math.max(0, (yield* reader.newestEventPosition(organizationId)) - limit);
    };
    const list = function* (reader: StorageReader) {
      const start = yield* startIn(reader);
      if (isOfAll) return yield* everything(reader, organizationId, start, limit);
      const about = userId === undefined ? null : yield* idsOfUser(reader, organizationId, userId);
      return yield* filtered(reader, organizationId, { types: types ?? null, by, about }, start, limit);
    };
    if (isOfAll && limit <= READ_AT_ONCE) return run(shown(list(tenant.storage)));
    return tenant.read((reader) => shown(list(reader)), true);
  }

  /**
   * One event of the outbox. By an id of a time-ordered UUID, as the service makes them, it is found at once; for any other
   * the whole outbox is looked through, as the reads that may take long come to their turn.
   * @throws {LoyaltyError} `resource_not_found` for an event that the outbox does not have, or not any more; `access_denied`
   *   without `webhook:manage`; `storage_unavailable` when too many wait.
   */
  async get(eventId: string): Promise<KeptEvent> {
    const { organizationId, storage } = this.tenant;
    const head = await eventById(this.tenant, eventId);
    const found = head === null ? [] : await run(storage.eventsAt(organizationId, [head.position]));
    const event = found.find(({ id }) => id === eventId);
    if (event === undefined) throw notFound("event");
    return eventOf(event);
  }
}

/** Events, and the position up to which all were read. */
interface Range {
  readonly events: readonly StoredEvent[];
  readonly end: number;
}

/**
 * Events read some at a time, until there are as many as asked for, or they are longer than a page should be:
 * then it ends with the one that made it so.
 */
function* pageOf(
  read: (after: number, count: number) => Step<readonly StoredEvent[]>,
  after: number,
  limit: number,
): Step<StoredEvent[]> {
  const page: StoredEvent[] = [];
  let length = 0;
  for (let at = after; page.length < limit; ) {
    const count = Math.min(READ_AT_ONCE, limit - page.length);
    yield* turns();
    const events = yield* read(at, count);
    for (const event of events) {
      page.push(event);
      length += event.data.length;
      if (length >= MOST_LENGTH) return page;
    }
    const last = events.at(-1);
    if (last === undefined || events.length < count) return page;
    at = last.position;
  }
  return page;
}

function lengthOf(events: readonly StoredEvent[]): number {
  return events.reduce((length, { data }) => length + data.length, 0);
}

/** Others have their turn while a long page is made. */
function* shown(range: Step<Range>): Step<EventPage> {
  const { events, end } = yield* range;
  const content: KeptEvent[] = [];
  for (const event of events) {
    if (content.length % SHOWN_AT_ONCE === SHOWN_AT_ONCE - 1) yield* turns();
    content.push(eventOf(event));
  }
  return { content, next: String(end) };
}

function* everything(
  reader: StorageReader,
  organizationId: string,
  after: number,
  limit: number,
): Step<Range> {
  const read = (at: number, count: number) => reader.listEvents(organizationId, null, at, count);
  const events = yield* pageOf(read, after, limit);
  return { events, end: events.at(-1)?.position ?? after };
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
function* filtered(
  reader: StorageReader,
  organizationId: string,
  { types, by, about }: Filter,
  after: number,
  limit: number,
): Step<Range> {
  const read = (at: number, count: number) => reader.listEvents(organizationId, types, at, count, by, about);
  const events = yield* pageOf(read, after, limit);
  const last = events.at(-1);
  const isWhole = events.length < limit && lengthOf(events) < MOST_LENGTH;
  if (last !== undefined && !isWhole) return { events, end: last.position };
  return { events, end: Math.max(after, yield* reader.newestEventPosition(organizationId)) };
}
