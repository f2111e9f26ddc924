import { timestamp } from "./clock.js";
import type { EventData, EventType, LoyaltyEvent } from "./events.js";
import { newId } from "./ids.js";
import type { StorageTransaction } from "./storage.js";
import type { Engine } from "./tenant.js";

/** Notes an event of a change: it is kept in the outbox with the change, and told once that is committed. */
export type Recorder = <K extends EventType>(type: K, data: EventData[K]) => void;

/** How many events are written in one go, which nothing else can come in between. */
const APPENDED_AT_ONCE = 1_000;

/** The events of one run of a change, in order. */
export class Recording {
  /** What listeners are to hear after the commit. */
  readonly toTell: LoyaltyEvent[] = [];
  private unwritten: LoyaltyEvent[] = [];
  private written = 0;
  private newest = 0;

  constructor(
    private readonly engine: Engine,
    private readonly organizationId: string,
  ) {}

  readonly record: Recorder = (type, data) => {
    const { uuid, clock } = this.engine;
    this.unwritten.push({ id: newId("evt", uuid), type, timestamp: timestamp(clock()), data });
  };

  /** Writes what was recorded so far, and keeps in memory only what someone listens to. */
  async write(tx: StorageTransaction): Promise<void> {
    const events = this.unwritten;
    if (events.length === 0) return;
    this.unwritten = [];
    const { outbox, events: listeners } = this.engine;
    for (let at = 0; outbox !== null && at < events.length; at += APPENDED_AT_ONCE) {
      const some = events.slice(at, at + APPENDED_AT_ONCE);
      this.newest = await outbox.append(tx, this.organizationId, some);
      this.written += some.length;
    }
    for (const event of events) if (listeners.hears(event.type)) this.toTell.push(event);
  }

  /** What is left to do once the change is committed. */
  async committed(): Promise<void> {
    const { outbox, events } = this.engine;
    outbox?.grew(this.organizationId, this.newest - this.written, this.newest);
    await events.tell(this.organizationId, this.toTell);
  }
}
