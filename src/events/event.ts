import { type EventType, isEventType } from "../event-types.js";
import { type Actor, actorOf } from "../resources/actor.js";
import type { EventData, StoredEventData } from "../resources/event-data.js";
import type { StoredEvent } from "../storage/events.js";
import { timestamp } from "../values/clock.js";

/** An event of one organization. Listeners receive it after the commit. */
export interface LoyaltyEvent<K extends EventType = EventType> {
  readonly id: string;
  readonly type: K;
  readonly timestamp: string;
  readonly actor: Actor;
  readonly data: EventData[K];
}

/**
 * An event as stored in the outbox. Its type determines its data. After a user is erased, the data of some event types is reduced
 * to `{ id, object }`, plus `userId` and `templateId` for passes of the user.
 */
export type OutboxEvent = {
  [K in EventType]: Omit<LoyaltyEvent<K>, "data"> & { readonly data: StoredEventData<K> };
}[EventType];

/** Receives the events of committed changes. Anything that it throws or rejects with goes to `onError` and affects nothing else. */
export type EventListener<K extends EventType = EventType> = (
  event: LoyaltyEvent<K>,
  context: { readonly organizationId: string },
) => unknown;

/** Receives events of several types: after a check of `event.type`, TypeScript knows the type of the data. */
export type AnyEventListener<K extends EventType = EventType> = (
  event: { readonly [Type in K]: LoyaltyEvent<Type> }[K],
  context: { readonly organizationId: string },
) => unknown;

/** Parses a stored event. The event's type determines the type of its data. */
export function eventOf(event: StoredEvent): OutboxEvent;
export function eventOf(event: StoredEvent): Omit<LoyaltyEvent, "data"> & { readonly data: unknown } {
  const { id, type, createdAt, data } = event;
  if (!isEventType(type)) throw new Error(`there are no events of the type ${type}`);
  return { id, type, timestamp: timestamp(createdAt), actor: actorOf(event), data: JSON.parse(data) };
}
