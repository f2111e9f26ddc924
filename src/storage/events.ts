import type { Step } from "../concurrency/step.js";
import { type ActorFilter, actorColumns } from "./actors.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";

/** An event as the outbox keeps it. */
export const eventRecord = record("events", ["position"], {
  /** The event's number within its organization: 1, 2, 3, … in the order of the commits, never reused. */
  position: integer(),
  id: text(),
  type: text(),
  createdAt: time(),
  /** JSON text, kept to the letter. */
  data: json().personal(),
  ...actorColumns,
});

export type StoredEvent = RowOf<typeof eventRecord>;

/** An event without its data: enough to decide who gets it. */
export type EventHead = Pick<StoredEvent, "position" | "id" | "type" | "createdAt">;

/** An event to come: storage gives it its position. */
export type NewEvent = Omit<StoredEvent, "position">;

/** Other data for an event, and another who made it. */
export type NewEventData = Pick<StoredEvent, "position" | "id" | "data" | "actor">;

/** Some positions of an outbox: those above `after`, up to `to`. */
export interface EventRange {
  readonly after: number;
  readonly to: number;
}

/** An outbox keeps the events that are neither too old nor too many, and the events of pending deliveries. */
export interface EventRetention {
  /** Events before this time may go. */
  readonly since: number;
  /** Events may be removed once their position is this far below the newest one. */
  readonly atMost: number;
}

/** The range of positions that a removal of events searches. */
export interface RemovalRange {
  /** It looks at positions above this one; 0 for the start. */
  readonly after: number;
  /** At most this many events, those with the lowest positions. */
  readonly limit: number;
}

/** The result of a removal of events. */
export interface EventRemoval {
  readonly removed: number;
  /** The position up to which no event is left that may go; `null` if there can't be one behind it either. */
  readonly end: number | null;
}

export interface EventReads {
  /**
   * The events of these types with a position above `after` (0 for the start), ascending, at most `limit`. `null` is every type, an
   * empty list none.
   * @param by the actor. Default: every actor.
   * @param about texts; the data of each event contains at least one of them literally. Default: any data.
   */
  listEvents(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
    by?: ActorFilter | null,
    about?: readonly string[] | null,
  ): Step<StoredEvent[]>;
  /** {@link listEvents} of all, without the data, which may be large, and who made them. */
  listEventHeads(
    organizationId: string,
    types: readonly string[] | null,
    after: number,
    limit: number,
  ): Step<EventHead[]>;
  /** The events at these positions (at most 1,000) that the outbox has, in no order. */
  eventsAt(organizationId: string, positions: readonly number[]): Step<StoredEvent[]>;
  /**
   * Finds the event with this id in a range of at most 5,000 positions. It reads the whole range, because ids have no index. If
   * several events have the id, returns the one with the lowest position.
   */
  findEventIn(organizationId: string, eventId: string, range: EventRange): Step<EventHead | null>;
  /** The highest position that an event of the organization was ever given; 0 before the first. */
  newestEventPosition(organizationId: string): Step<number>;
}

export interface EventWrites {
  /**
   * Appends to the organization's outbox, in the order given. Until the transaction ends no other transaction of the
   * organization appends, so a reader who has seen a position has seen every lower one that there will ever be.
   * @returns the position of the last one.
   */
  appendEvents(organizationId: string, events: readonly NewEvent[]): Step<number>;
  /**
   * Replaces the data and actors of the events at these positions (at most 1,000), and clears the custom bodies and the recorded
   * responses of their deliveries. Claims of these deliveries end, so results of attempts in progress are ignored. The transaction
   * must have locked all endpoints.
   */
  replaceEventData(organizationId: string, events: readonly NewEventData[]): Step<void>;
  /**
   * Removes the events in a range that retention no longer needs. An event with a pending delivery stays until that is finished.
   */
  removeEvents(organizationId: string, keep: EventRetention, range: RemovalRange): Step<EventRemoval>;
}
