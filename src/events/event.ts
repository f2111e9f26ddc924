import { type EventType, isEventType } from "../event-types.js";
import { type Actor, actorOf } from "../resources/actor.js";
import type { EventData, StoredEventData } from "../resources/event-data.js";
import type { StoredEvent } from "../storage/events.js";
import { timestamp } from "../values/clock.js";

/** An event says what happened to one organization; listeners get it after the commit. */
export interface LoyaltyEvent<K extends EventType = EventType> {
  readonly id: string;
  readonly type: K;
  readonly timestamp: string;
  readonly actor: Actor;
  readonly data: EventData[K];
}

/**
 * An event as the outbox keeps it. Its type tells which data it has; of a user who was erased since, the data of some kinds is
 * `{ id, object }` alone, and of a pass of that user `userId` and `templateId` besides.
 */
export type OutboxEvent = {
  [K in EventType]: Omit<LoyaltyEvent<K>, "data"> & { readonly data: StoredEventData<K> };
}[EventType];

/** Hears of a committed change. What it throws or rejects with goes to `onError` and harms nothing else. */
export type EventListener<K extends EventType = EventType> = (
  event: LoyaltyEvent<K>,
  context: { readonly organizationId: string },
) => unknown;

/** Hears of events of several kinds: once `event.type` is compared, TypeScript knows the data. */
export type AnyEventListener<K extends EventType = EventType> = (
  event: { readonly [Type in K]: LoyaltyEvent<Type> }[K],
  context: { readonly organizationId: string },
) => unknown;

/** Which data an event has follows from its type. */
export function eventOf(event: StoredEvent): OutboxEvent;
export function eventOf(event: StoredEvent): Omit<LoyaltyEvent, "data"> & { readonly data: unknown } {
  const { id, type, createdAt, data } = event;
  if (!isEventType(type)) throw new Error(`there are no events of the type ${type}`);
  return { id, type, timestamp: timestamp(createdAt), actor: actorOf(event), data: JSON.parse(data) };
}
