import { setImmediate } from "node:timers";
import mitt, { type Emitter } from "mitt";
import { isYieldDue, waitForIterationEnd } from "../../base/concurrency/event-loop.js";
import type { EventType } from "../../base/event-types.js";
import type { RunInContext } from "../../base/tracing.js";
import type { EventListener, LoyaltyEvent } from "./event.js";

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
  private delivered: Promise<void> = Promise.resolve();

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
      else this.delivered = this.deliverQueued();
    });
  }

  /** Returns a promise that resolves when all events have been emitted. */
  whenIdle(): Promise<void> {
    return this.delivered;
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
