import type { Step } from "../base/concurrency/step.js";
import { type ActorFilter, actorColumns } from "./actors.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";

/** An event in an organization's outbox. Events are ordered by `position`. */
export const eventRecord = record("events", ["position"], {
  /** The event's number within its organization: 1, 2, 3, … in commit order, never reused. */
  position: integer(),
  /** The event's ID, as sent to webhook endpoints. */
  id: text(),
  /** The event's type, such as `pass.created`. */
  type: text(),
  /** When the event was recorded, in milliseconds since the Unix epoch. */
  createdAt: time(),
  /** JSON text, stored verbatim. */
  data: json(),
  ...actorColumns,
});

export type StoredEvent = RowOf<typeof eventRecord>;

/** An event without its data and actor. These fields are enough to determine which endpoints receive the event. */
export type EventHead = Pick<StoredEvent, "position" | "id" | "type" | "createdAt">;

/** A new event, which has no position yet. */
export type NewEvent = Omit<StoredEvent, "position">;

/** Replacement data and a replacement actor for a stored event. Used, for example, to remove personal data. */
export type NewEventData = Pick<StoredEvent, "position" | "id" | "data" | "actor">;

/** A range of outbox positions from `after` (exclusive) to `to` (inclusive). */
export interface EventRange {
  /** The position just before the range, or 0 to start from the beginning. */
  readonly after: number;
  /** The last position in the range. */
  readonly to: number;
}

/** The rules for removing events from the outbox. Events that have pending deliveries are never removed. */
export interface EventRetention {
  /** The rules for removing events from the outbox. Events with pending deliveries are never removed. */
  readonly since: number;
  /**
   * Maximum number of events to keep. An event can be removed once its position is at least `atMost` below the newest event's
   * position.
   */
  readonly atMost: number;
}

/** Where in the outbox to start removing events, and the maximum number to remove. */
export interface RemovalRange {
  /** The position to start after, or 0 to start from the beginning. */
  readonly after: number;
  /** Maximum number of events to remove, lowest positions first. */
  readonly limit: number;
}

/** The result of `removeEvents`: the number of removed events, and where to continue. */
export interface EventRemoval {
  /** Number of events that this call removed, at most the range's `limit`. */
  readonly removed: number;
  /**
   * The position to pass as `after` in the next call, or `null` if no removable events are left. All removable events up to this
   * position have been removed.
   */
  readonly end: number | null;
}

export interface EventReads {
  /**
   * Lists up to `limit` events with a position above `after`, in ascending order of position. Pass 0 as `after` to start from the
   * beginning.
   * @param types the event types. `null` matches every type, and an empty array matches none.
   * @param by the actor. Default: every actor.
   * @param about the strings to search for. At least one must appear verbatim in the event's data. Default: any data.
   */
  listEvents(
    types: readonly string[] | null,
    after: number,
    limit: number,
    by?: ActorFilter | null,
    about?: readonly string[] | null,
  ): Step<StoredEvent[]>;
  /** Lists events like {@link listEvents}, but without their actors and data. The data can be large. */
  listEventHeads(types: readonly string[] | null, after: number, limit: number): Step<EventHead[]>;
  /**
   * Returns the events at these positions (at most 1,000), in no particular order. Skips positions that are no longer in the
   * outbox.
   */
  eventsAt(positions: readonly number[]): Step<StoredEvent[]>;
  /**
   * Finds the event with this ID in a range of at most 5,000 positions. Reads the whole range, because IDs have no index. If
   * several events have the same ID, returns the one with the lowest position.
   */
  findEventIn(eventId: string, range: EventRange): Step<EventHead | null>;
  /**
   * Returns the highest position that has ever been assigned to one of the organization's events, or 0 if it has never had an
   * event.
   */
  newestEventPosition(): Step<number>;
}

export interface EventWrites {
  /**
   * Appends events to the organization's outbox, in input order. Until the transaction ends, no other transaction for the
   * organization can append events. Therefore, an event never becomes visible to readers before the events that precede it.
   * @returns the position of the last appended event.
   */
  appendEvents(events: readonly NewEvent[]): Step<number>;
  /**
   * Replaces the data and actors of the events at these positions (at most 1,000). Also clears the custom bodies and recorded
   * responses of the events' deliveries, and ends all claims on these deliveries, so that the results of attempts in progress are
   * ignored. The transaction must have locked all endpoints first.
   */
  replaceEventData(events: readonly NewEventData[]): Step<void>;
  /**
   * Removes the expired events within a range of positions. An event with a pending delivery stays until the delivery is finished.
   */
  removeEvents(retention: EventRetention, range: RemovalRange): Step<EventRemoval>;
}
