import type { Step } from "../base/concurrency/step.js";
import { type ActorFilter, actorColumns } from "./actors.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";

/** An event as stored in the outbox. */
export const eventRecord = record("events", ["position"], {
  /** The event's number within its organization: 1, 2, 3, … in commit order, never reused. */
  position: integer(),
  id: text(),
  type: text(),
  createdAt: time(),
  /** JSON text, stored verbatim. */
  data: json().personal(),
  ...actorColumns,
});

export type StoredEvent = RowOf<typeof eventRecord>;

/** An event without its data and actor, which is all that is needed to select its receivers. */
export type EventHead = Pick<StoredEvent, "position" | "id" | "type" | "createdAt">;

/** A new event, before storage assigns its position. */
export type NewEvent = Omit<StoredEvent, "position">;

/** Data and an actor that replace an event's own, for example when personal data is removed. */
export type NewEventData = Pick<StoredEvent, "position" | "id" | "data" | "actor">;

/** A range of outbox positions: above `after`, up to and including `to`. */
export interface EventRange {
  readonly after: number;
  readonly to: number;
}

/** How long events stay in the outbox. Events with pending deliveries always stay. */
export interface EventRetention {
  /** Events that were created before this time may be removed. */
  readonly since: number;
  /** Maximum number of events to keep. An event may be removed once its position is this far below the newest event's. */
  readonly atMost: number;
}

/** The range of positions that an event removal searches. */
export interface RemovalRange {
  /** The position after which to start searching, or 0 to start from the beginning. */
  readonly after: number;
  /** Maximum number of events to remove, lowest positions first. */
  readonly limit: number;
}

/** The result of `removeEvents`: what it removed, and where to continue. */
export interface EventRemoval {
  readonly removed: number;
  /** The position to continue after, because no removable events remain up to it. `null` if none remain after it either. */
  readonly end: number | null;
}

export interface EventReads {
  /**
   * Lists up to `limit` events of the given types with a position above `after`, in ascending order. `null` matches every type, and
   * an empty list matches none. Pass 0 as `after` to start from the beginning.
   * @param by the actor. Default: every actor.
   * @param about the strings to search for. At least one must occur literally in the event's data. Default: any data.
   */
  listEvents(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
    by?: ActorFilter | null,
    about?: readonly string[] | null,
  ): Step<StoredEvent[]>;
  /** Lists events of all types like {@link listEvents}, but omits their actors and their data, which may be large. */
  listEventHeads(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
  ): Step<EventHead[]>;
  /**
   * Returns the events at these positions (at most 1,000), in no particular order. Skips positions that are no longer in the
   * outbox.
   */
  eventsAt(organizationId: string, positions: readonly number[]): Step<StoredEvent[]>;
  /**
   * Finds the event with this id in a range of at most 5,000 positions. Reads the whole range, because ids have no index. If
   * several events have the id, returns the one with the lowest position.
   */
  findEventIn(organizationId: string, eventId: string, range: EventRange): Step<EventHead | null>;
  /** Returns the highest position that the organization has ever assigned to an event, or 0 before the first event. */
  newestEventPosition(organizationId: string): Step<number>;
}

export interface EventWrites {
  /**
   * Appends events to the organization's outbox, in input order. Until the transaction ends, no other transaction for the
   * organization can append events, so a reader who sees a position has already seen every lower one.
   * @returns the position of the last appended event.
   */
  appendEvents(organizationId: string, events: readonly NewEvent[]): Step<number>;
  /**
   * Replaces the data and actors of the events at these positions (at most 1,000), and clears the custom bodies and recorded
   * responses of their deliveries. Also ends claims on these deliveries, which means that results of attempts in progress are
   * ignored. The transaction must have locked all endpoints first.
   */
  replaceEventData(organizationId: string, events: readonly NewEventData[]): Step<void>;
  /**
   * Removes the events in a range whose retention has ended. An event with a pending delivery stays until the delivery is finished.
   */
  removeEvents(organizationId: string, keep: EventRetention, range: RemovalRange): Step<EventRemoval>;
}
