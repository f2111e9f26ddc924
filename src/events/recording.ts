import type { Step } from "../concurrency/step.js";
import type { EventType, events } from "../event-types.js";
import type { KnownActor } from "../resources/actor.js";
import type { EventData } from "../resources/event-data.js";
import { addPartialCounts, type MomentCounts } from "../storage/day-counts.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { RunInContext, Tracer } from "../tracing.js";
import { type Clock, timestamp } from "../values/clock.js";
import { newId, type UuidSource } from "../values/ids.js";
import type { LoyaltyEvent } from "./event.js";
import type { EventEmitter } from "./event-emitter.js";
import type { Outbox } from "./outbox.js";

/** Notes an event of a change: it is kept in the outbox with the change, and told once that is committed. */
export interface Recorder {
  <K extends Uncounted>(type: K, data: EventData[K]): void;
  /** @param counts what the event adds to the numbers of its day, which change with it. */
  <K extends Exclude<EventType, Uncounted>>(type: K, data: EventData[K], counts: Partial<MomentCounts>): void;
}

/** The events that change no number of a day. */
type Uncounted = {
  [K in EventType]: (typeof events)[K] extends { readonly isCounted: true } ? never : K;
}[EventType];

/** One step appends at most this many events; nothing else comes in between. */
const APPENDED_AT_ONCE = 1_000;

/** The days of all zones begin with a full minute, since 1972. */
const MINUTE_MS = 60_000;

/** A span names at most this many events, by whose ids the deliveries of a change are found. */
const NOTED_AT_ONCE = 100;

interface EventSinks {
  readonly clock: Clock;
  readonly uuid: UuidSource;
  readonly outbox: Outbox | null;
  readonly events: EventEmitter;
  readonly tracer: Tracer | null;
}

/** The events of one run of a change, in order. */
export class Recording {
  /** Listeners get these events after the commit. */
  readonly unheard: LoyaltyEvent[] = [];
  private unwritten: LoyaltyEvent[] = [];
  /** These come before those in {@link unwritten}. */
  private leading: LoyaltyEvent[] = [];
  private leader: KnownActor;
  /** The time of the newest of {@link unwritten}. */
  private recorded = 0;
  /** By the minute of the events. */
  private readonly counts = new Map<number, Partial<MomentCounts>>();
  private written = 0;
  private newest = 0;
  private oldestId: string | null = null;

  /** @param within the call that the change is of, for the tracer: it is written and told beside the work of others. */
  constructor(
    private readonly sinks: EventSinks,
    readonly organizationId: string,
    private readonly actor: KnownActor,
    private readonly within: RunInContext | null,
  ) {
    this.leader = actor;
  }

  readonly record: Recorder = (
    type: EventType,
    data: EventData[EventType],
    counts?: Partial<MomentCounts>,
  ): void => {
    const now = this.sinks.clock();
    this.recorded = now;
    this.unwritten.push(this.eventOf(type, data, timestamp(now)));
    if (counts === undefined) return;
    const minute = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const before = this.counts.get(minute);
    this.counts.set(minute, before === undefined ? counts : addPartialCounts(before, counts));
  };

  /**
   * Notes an event that comes before all that are recorded otherwise and not written yet.
   * @param by who made it, the same for all such events of a change.
   */
  lead<K extends Uncounted>(type: K, data: EventData[K], by: KnownActor): void {
    const first = this.unwritten[0]?.timestamp ?? timestamp(this.sinks.clock());
    this.leading.push(this.eventOf(type, data, first, by));
    this.leader = by;
  }

  /** The time of the newest event that is not written yet; the present without any. */
  get newestTime(): number {
    return this.unwritten.length === 0 ? this.sinks.clock() : this.recorded;
  }

  /** Writes what was recorded so far, and keeps in memory only what someone listens to. */
  *write(tx: StorageTransaction): Step<void> {
    const { leading, unwritten } = this;
    if (leading.length + unwritten.length === 0) return;
    this.unwritten = [];
    this.leading = [];
    // Counted first, since storage may keep the open day beside the newest event.
    for (const [at, counts] of this.counts) yield* tx.addCounts(this.organizationId, at, counts);
    this.counts.clear();
    yield* this.append(tx, leading, this.leader);
    yield* this.append(tx, unwritten, this.actor);
  }

  private *append(tx: StorageTransaction, events: readonly LoyaltyEvent[], by: KnownActor): Step<void> {
    if (events.length === 0) return;
    this.noteIn(events);
    const { outbox, events: listeners } = this.sinks;
    for (let at = 0; outbox !== null && at < events.length; at += APPENDED_AT_ONCE) {
      const some = events.slice(at, at + APPENDED_AT_ONCE);
      this.newest = yield* outbox.append(tx, this.organizationId, some, by.stored);
      this.oldestId ??= some[0]?.id ?? null;
      this.written += some.length;
    }
    for (const event of events) if (listeners.hears(event.type)) this.unheard.push(event);
  }

  /** Returns whether the commit has consequences. Without an outbox nobody could find out that the change is committed. */
  get isAwaited(): boolean {
    const { outbox } = this.sinks;
    if (this.written === 0 || outbox === null) return false;
    return (
      this.unheard.length > 0 ||
      outbox.isHeard ||
      outbox.isTidyingDue(this.organizationId, this.before, this.newest)
    );
  }

  /** Returns whether the outbox has the events; `null` when it has neither them nor others in their place. */
  *isKept(reader: StorageReader): Step<boolean | null> {
    const [inPlace] = yield* reader.listEvents(this.organizationId, null, this.before, 1);
    return inPlace === undefined ? null : inPlace.id === this.oldestId;
  }

  /** Tells delivery workers and listeners of the committed events. */
  async committed(): Promise<void> {
    const { outbox, events } = this.sinks;
    outbox?.grew(this.organizationId, this.before, this.newest);
    await events.tell(this.organizationId, this.unheard, this.within);
  }

  private noteIn(events: readonly LoyaltyEvent[]): void {
    const { tracer } = this.sinks;
    if (tracer === null || this.within === null) return;
    this.within(() => {
      for (const { id, type } of events.slice(0, NOTED_AT_ONCE)) {
        tracer.note("loyalty.event", { "loyalty.event.id": id, "loyalty.event.type": type });
      }
    });
  }

  private eventOf(
    type: EventType,
    data: EventData[EventType],
    at: string,
    { shown: actor }: KnownActor = this.actor,
  ): LoyaltyEvent {
    return { id: newId("evt", this.sinks.uuid), type, timestamp: at, actor, data };
  }

  /** The position before those of the events. */
  private get before(): number {
    return this.newest - this.written;
  }
}
