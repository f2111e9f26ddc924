import type { ResolvedActor } from "../../access/actor-schema.js";
import type { Step } from "../../base/concurrency/step.js";
import type { EventType, events } from "../../base/event-types.js";
import type { RunInContext, Tracer } from "../../base/tracing.js";
import { type Clock, MINUTE_MS, timestamp } from "../../base/values/clock.js";
import { newId, type UuidSource, uuidV7 } from "../../base/values/ids.js";
import { listNamedIds } from "../../base/values/ids-in-text.js";
import type { StoredActor } from "../../storage/actors.js";
import { splitIntoBatches } from "../../storage/batches.js";
import { addPartialCounts, type MomentCounts } from "../../storage/day-counts.js";
import type { StorageReader, StorageTransaction } from "../../storage/storage-adapter.js";
import type { EventData } from "../../webhooks/event-schema.js";
import type { EventEmitter, LoyaltyEvent } from "./event-emitter.js";
import type { Outbox } from "./outbox.js";

/**
 * Records an event for a change. The outbox stores the event together with the change, and listeners receive it after the commit.
 */
export interface RecordEvent {
  /**
   * Records an event whose type isn't included in the daily counts.
   * @param by the actor who made the change, if it isn't the call's actor.
   */
  <K extends WithoutCounts>(type: K, data: EventData[K], counts?: undefined, by?: ResolvedActor): void;
  /**
   * Records an event whose type is included in the daily counts.
   * @param counts the amounts to add to the day's counts, which are updated together with the event.
   * @param countedAt a time on the day that the counts belong to, in milliseconds since the Unix epoch. Default: now.
   */
  <K extends Exclude<EventType, WithoutCounts>>(
    type: K,
    data: EventData[K],
    counts: Partial<MomentCounts>,
    by?: undefined,
    countedAt?: number,
  ): void;
}

/** The event types that change no daily counts. */
type WithoutCounts = {
  [K in EventType]: (typeof events)[K] extends { readonly isCounted: true } ? never : K;
}[EventType];

/** Maximum number of events that one step appends; nothing else runs in between. */
const APPEND_BATCH_SIZE = 1_000;

/** Maximum number of events that a span lists; their IDs help to find the deliveries of a change. */
const MAX_EVENTS_PER_SPAN = 100;

interface EventSinks {
  readonly clock: Clock;
  readonly uuid: UuidSource;
  readonly delivery: { readonly outbox: Outbox | null; readonly emitter: EventEmitter };
  readonly tracer: Tracer | null;
}

/** Collects the events of one run of a change, in the order in which they were recorded. */
export class EventBuffer {
  /** The events that listeners in this process receive after the commit. */
  readonly eventsToEmit: LoyaltyEvent[] = [];
  private eventsToAppend: LoyaltyEvent[] = [];
  /** The actors of events that were made by another actor. */
  private otherActors: Map<LoyaltyEvent, StoredActor> | null = null;
  /** The counts, keyed by the minute that they belong to. */
  private readonly counts = new Map<number, Partial<MomentCounts>>();
  private appendedCount = 0;
  private newestPosition = 0;
  private oldestId: string | null = null;

  /**
   * @param runInContext a function that runs work within the span of the call that made the change. This is needed because
   *   unrelated work can run while events are written and emitted.
   */
  constructor(
    private readonly sinks: EventSinks,
    readonly organizationId: string,
    private readonly actor: ResolvedActor,
    private readonly runInContext: RunInContext | null,
  ) {}

  readonly record: RecordEvent = (
    type: EventType,
    data: EventData[EventType],
    counts?: Partial<MomentCounts>,
    by: ResolvedActor = this.actor,
    countedAt?: number,
  ): void => {
    const now = this.sinks.clock();
    const event: LoyaltyEvent = {
      id: newId("evt", this.sinks.uuid),
      type,
      timestamp: timestamp(now),
      actor: by.visible,
      data,
    };
    this.eventsToAppend.push(event);
    if (by !== this.actor) {
      this.otherActors ??= new Map();
      this.otherActors.set(event, by.stored);
    }
    if (counts === undefined) return;
    // Days start on a full minute in every time zone since 1972.
    const minute = Math.floor((countedAt ?? now) / MINUTE_MS) * MINUTE_MS;
    const existingCounts = this.counts.get(minute);
    this.counts.set(minute, existingCounts === undefined ? counts : addPartialCounts(existingCounts, counts));
  };

  /** Writes the events recorded so far. Afterward, only events that have listeners are kept in memory. */
  *write(tx: StorageTransaction): Step<void> {
    const { eventsToAppend } = this;
    if (eventsToAppend.length === 0) return;
    this.eventsToAppend = [];
    // Counts are written first, because storage may store the current day's counts with the newest event.
    const hasOutbox = this.sinks.delivery.outbox !== null;
    for (const [at, counts] of this.counts) yield* tx.addCounts(at, counts, hasOutbox);
    this.counts.clear();
    this.traceEvents(eventsToAppend);
    yield* this.append(tx, eventsToAppend);
    const { emitter } = this.sinks.delivery;
    for (const event of eventsToAppend) if (emitter.hasListeners(event.type)) this.eventsToEmit.push(event);
  }

  private *append(tx: StorageTransaction, events: readonly LoyaltyEvent[]): Step<void> {
    const { outbox } = this.sinks.delivery;
    if (outbox === null) {
      const ids = events.flatMap(({ data }) => listNamedIds(JSON.stringify(data)));
      yield* recordSilentChange(tx, [...new Set(ids)]);
      return;
    }
    for (let index = 0; index < events.length; index += APPEND_BATCH_SIZE) {
      const batch = events.slice(index, index + APPEND_BATCH_SIZE);
      this.newestPosition = yield* outbox.append(tx, batch, this.actor.stored, this.otherActors);
      this.oldestId ??= batch[0]?.id ?? null;
      this.appendedCount += batch.length;
    }
  }

  /**
   * Whether any listener or worker needs to know the outcome of the commit. Always `false` without an outbox, because only the
   * outbox shows whether a commit succeeded.
   */
  get isAwaited(): boolean {
    const { outbox } = this.sinks.delivery;
    if (this.appendedCount === 0 || outbox === null) return false;
    return (
      this.eventsToEmit.length > 0 ||
      outbox.isHeard ||
      outbox.isCleanupDue(this.organizationId, this.previousPosition, this.newestPosition)
    );
  }

  /** Returns whether the outbox contains the change's events, or `null` if no events have been stored at their positions yet. */
  *isPersisted(reader: StorageReader): Step<boolean | null> {
    const [storedEvent] = yield* reader.listEvents(null, this.previousPosition, 1);
    return storedEvent === undefined ? null : storedEvent.id === this.oldestId;
  }

  /** Notifies delivery workers and listeners of the committed events. */
  async publish(): Promise<void> {
    const { outbox, emitter } = this.sinks.delivery;
    outbox?.afterAppend(this.organizationId, this.previousPosition, this.newestPosition);
    await emitter.emit(this.organizationId, this.eventsToEmit, this.runInContext);
  }

  private traceEvents(events: readonly LoyaltyEvent[]): void {
    const { tracer } = this.sinks;
    if (tracer === null || this.runInContext === null) return;
    this.runInContext(() => {
      for (const { id, type } of events.slice(0, MAX_EVENTS_PER_SPAN)) {
        tracer.note("loyalty.event", { "loyalty.event.id": id, "loyalty.event.type": type });
      }
    });
  }

  /** The position before this change's events. */
  private get previousPosition(): number {
    return this.newestPosition - this.appendedCount;
  }
}

/**
 * Records that a change affects the given users or passes even though it records no event. The segment follower then re-evaluates
 * them without emitting events for the segments that they enter or leave. If no segment emits events, this costs only one read.
 */
export function* recordSilentChange(tx: StorageTransaction, ids: readonly string[]): Step<void> {
  if (ids.length === 0) return;
  const follower = yield* tx.findSegmentFollower();
  if (follower === null || follower.position === null) return;
  for (const batch of splitIntoBatches(ids))
    yield* tx.insertSilentChange({ id: uuidV7(), names: JSON.stringify(batch) });
}
