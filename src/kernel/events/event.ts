import { type Actor, actorOf } from "../../access/actor-schema.js";
import { type EventType, isEventType } from "../../base/event-types.js";
import { timestamp } from "../../base/values/clock.js";
import type { StoredEvent } from "../../storage/events.js";
import type { EventData, StoredEventData } from "../../webhooks/event-data-schema.js";

/** An event in an organization. Listeners receive it after the change is committed. */
export interface LoyaltyEvent<K extends EventType = EventType> {
  /** The event's ID. It stays the same when the event is delivered again. */
  readonly id: string;
  /** The event's type, such as `stamp.added`. */
  readonly type: K;
  /** When the change was made, as an ISO 8601 timestamp. */
  readonly timestamp: string;
  /** The actor who made the change, such as an API token, a staff member, or an automation. */
  readonly actor: Actor;
  /** The resource as it was after the change. */
  readonly data: EventData[K];
}

/**
 * An event as stored in the outbox. Its type determines the shape of its data. After a user is erased, events of some types keep
 * only `{ id, object }`, or `{ id, object, userId, templateId }` if the data described one of the user's passes.
 */
export type OutboxEvent = {
  [K in EventType]: Omit<LoyaltyEvent<K>, "data"> & {
    /** The resource as it was after the change. */
    readonly data: StoredEventData<K>;
  };
}[EventType];

/** Receives the events of committed changes. If it throws or rejects, the error is passed to `onError` and has no other effect. */
export type EventListener<K extends EventType = EventType> = (
  event: LoyaltyEvent<K>,
  context: { readonly organizationId: string },
) => unknown;

/** Receives events of several types. Checking `event.type` narrows the type of the event's data. */
export type AnyEventListener<K extends EventType = EventType> = (
  event: { readonly [Type in K]: LoyaltyEvent<Type> }[K],
  context: { readonly organizationId: string },
) => unknown;

/** Converts a stored event to an outbox event, parsing its data. */
export function eventOf(event: StoredEvent): OutboxEvent;
export function eventOf(event: StoredEvent): Omit<LoyaltyEvent, "data"> & { readonly data: unknown } {
  const { id, type, createdAt, data } = event;
  if (!isEventType(type)) throw new Error(`there are no events of the type ${type}`);
  return { id, type, timestamp: timestamp(createdAt), actor: actorOf(event), data: JSON.parse(data) };
}
