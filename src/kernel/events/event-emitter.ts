import { setImmediate } from "node:timers";
import type { Emitter } from "mitt";
import mitt from "mitt";
import { type Actor, actorOf } from "../../access/actor-schema.js";
import { isYieldDue, waitForIterationEnd } from "../../base/concurrency/event-loop.js";
import { type EventType, isEventType } from "../../base/event-types.js";
import type { RunInContext } from "../../base/tracing.js";
import { timestamp } from "../../base/values/clock.js";
import type { StoredEvent } from "../../storage/events.js";
import type { EventData, StoredEventData } from "../../webhooks/event-schema.js";

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

export type ErrorListener = (error: unknown) => void;

/**
 * Wraps an error listener so that it never throws. Otherwise, a failure to report an error would make completed work appear to have
 * failed.
 */
export function guardListener(listener: ErrorListener): ErrorListener {
  return (error) => {
    try {
      listener(error);
    } catch (failure) {
      console.error(failure);
    }
  };
}

type EventMap = Record<EventType, { event: LoyaltyEvent; organizationId: string }>;

/** The events of one change that are queued for listeners. */
interface EventBatch {
  readonly organizationId: string;
  readonly events: readonly LoyaltyEvent[];
  readonly within: RunInContext | null;
  readonly done: () => void;
}

/** Delivers events to listeners in this process, in the order in which they were emitted. */
export class EventEmitter {
  private readonly emitter: Emitter<EventMap> = mitt<EventMap>();
  private readonly pendingBatches: EventBatch[] = [];
  private isDelivering = false;
  private currentDelivery: Promise<void> = Promise.resolve();

  constructor(private readonly onError: ErrorListener) {}

  /**
   * Adds a listener for one type of event.
   * @returns a function that removes the listener.
   */
  on<K extends EventType>(type: K, listener: EventListener<K>): () => void {
    const handleEvent = ({ event, organizationId }: EventMap[K]): void => {
      // With mitt alone, one failing listener would keep the remaining listeners from being called.
      try {
        if (!isEventOfType(type, event)) return;
        Promise.resolve(listener(event, { organizationId })).catch(this.onError);
      } catch (error) {
        this.onError(error);
      }
    };
    this.emitter.on(type, handleEvent);
    return () => this.emitter.off(type, handleEvent);
  }

  hasListeners(type: EventType): boolean {
    return (this.emitter.all.get(type)?.length ?? 0) > 0;
  }

  /**
   * Emits a change's events, yielding to other work if this takes a while. The promise resolves once the events have been emitted.
   * If another change's events are still being emitted, the new events are queued, and the promise resolves immediately.
   * @param within a function that runs the listeners within the span of the call that made the change.
   */
  emit(
    organizationId: string,
    events: readonly LoyaltyEvent[],
    within: RunInContext | null = null,
  ): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.pendingBatches.push({ organizationId, events, within, done: resolve });
      if (this.isDelivering) resolve();
      else this.currentDelivery = this.deliverQueued();
    });
  }

  /** Returns a promise that resolves when the events that are queued now have been emitted. */
  flush(): Promise<void> {
    if (!this.isDelivering) return Promise.resolve();
    return new Promise((resolve) => {
      this.pendingBatches.push({ organizationId: "", events: [], within: null, done: resolve });
    });
  }

  /** Returns a promise that resolves when all events have been emitted, including those that are queued in the meantime. */
  whenIdle(): Promise<void> {
    return this.currentDelivery;
  }

  private async deliverQueued(): Promise<void> {
    this.isDelivering = true;
    for (let next = this.pendingBatches.shift(); next !== undefined; next = this.pendingBatches.shift()) {
      const { organizationId, events, within, done } = next;
      for (const event of events) {
        // Slow listeners run one per loop iteration, so that other waiting work runs before the next listener.
        while (isYieldDue()) {
          await waitForIterationEnd();
          await new Promise<void>((resolve) => setImmediate(resolve));
        }
        const emitEvent = () => this.emitter.emit(event.type, { event, organizationId });
        if (within === null) emitEvent();
        else within(emitEvent);
      }
      done();
    }
    this.isDelivering = false;
  }
}

function isEventOfType<K extends EventType>(type: K, event: LoyaltyEvent): event is LoyaltyEvent<K> {
  return event.type === type;
}

/** Notifies listeners in this process when an organization has work to do. */
export class WorkSignal {
  private readonly listeners = new Set<(organizationId: string) => void>();

  /**
   * Adds a listener. Listeners must not throw.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Notifies the listeners that an organization has work to do. */
  signalWork(organizationId: string): void {
    for (const listener of this.listeners) listener(organizationId);
  }

  get isHeard(): boolean {
    return this.listeners.size > 0;
  }
}
