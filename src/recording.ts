import { timestamp } from "./clock.js";
import type { EventData, EventType, LoyaltyEvent } from "./events.js";
import { newId } from "./ids.js";
import type { StorageTransaction } from "./storage.js";
import type { Engine } from "./tenant.js";

/** Notes an event of a change: it is kept in the outbox with the change, and told once that is committed. */
export type Recorder = <K extends EventType>(type: K, data: EventData[K]) => void;

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
    if (outbox !== null) {
      this.newest = await outbox.append(tx, this.organizationId, events);
      this.written += events.length;
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
