import type { Step } from "../concurrency/step.js";
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

/** An event without its data: enough to select its receivers. */
export type EventHead = Pick<StoredEvent, "position" | "id" | "type" | "createdAt">;

/** A new event, before storage assigns its position. */
export type NewEvent = Omit<StoredEvent, "position">;

/** Replacement data and a replacement actor for an event. */
export type NewEventData = Pick<StoredEvent, "position" | "id" | "data" | "actor">;

/** A range of outbox positions: after `after`, up to and including `to`. */
export interface EventRange {
  readonly after: number;
  readonly to: number;
}

/** The outbox retains recent events, up to a maximum number, and the events of pending deliveries. */
export interface EventRetention {
  /** Events before this time may be removed. */
  readonly since: number;
  /** Events may be removed once their position is this far below the newest one's. */
  readonly atMost: number;
}

/** The range of positions that an event removal searches. */
export interface RemovalRange {
  /** The search starts after this position; 0 for the start. */
  readonly after: number;
  /** Maximum number of events to remove, lowest positions first. */
  readonly limit: number;
}

/** The result of an event removal. */
export interface EventRemoval {
  readonly removed: number;
  /** The position up to which no removable events are left; `null` if there can't be any after it either. */
  readonly end: number | null;
}

export interface EventReads {
  /**
   * Lists the events of these types with a position above `after` (0 for the start), ascending, at most `limit`. `null` matches
   * every type, an empty list none.
   * @param by the actor. Default: every actor.
   * @param about strings; at least one must occur literally in the event's data. Default: any data.
   */
  listEvents(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
    by?: ActorFilter | null,
    about?: readonly string[] | null,
  ): Step<StoredEvent[]>;
  /** Like {@link listEvents} for all events, but without their data, which may be large, and their actors. */
  listEventHeads(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
  ): Step<EventHead[]>;
  /** Returns the events at these positions (at most 1,000) that are in the outbox, in no particular order. */
  eventsAt(organizationId: string, positions: readonly number[]): Step<StoredEvent[]>;
  /**
   * Finds the event with this id in a range of at most 5,000 positions. It reads the whole range, because ids have no index. If
   * several events have the id, returns the one with the lowest position.
   */
  findEventIn(organizationId: string, eventId: string, range: EventRange): Step<EventHead | null>;
  /** Returns the highest position that an event of the organization ever had; 0 before the first event. */
  newestEventPosition(organizationId: string): Step<number>;
}

export interface EventWrites {
  /**
   * Appends events to the organization's outbox, in input order. Until the transaction ends, no other transaction of the
   * organization can append, so a reader who has seen a position has seen all lower positions that will ever exist.
   * @returns the position of the last appended event.
   */
  appendEvents(organizationId: string, events: readonly NewEvent[]): Step<number>;
  /**
   * Replaces the data and actors of the events at these positions (at most 1,000), and clears the custom bodies and the recorded
   * responses of their deliveries. Claims of these deliveries end, so results of attempts in progress are ignored. The transaction
   * must have locked all endpoints.
   */
  replaceEventData(organizationId: string, events: readonly NewEventData[]): Step<void>;
  /**
   * Removes the events in a range that are past retention. An event with a pending delivery stays until the delivery is finished.
   */
  removeEvents(organizationId: string, keep: EventRetention, range: RemovalRange): Step<EventRemoval>;
}
