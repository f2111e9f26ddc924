import { type Clock, timestamp } from "./clock.js";
import { accessDenied } from "./errors.js";
import type { EventData, EventEmitter, EventType, LoyaltyEvent } from "./events.js";
import { type IdPrefix, newId, type UuidSource } from "./ids.js";
import type { Scope } from "./scopes.js";
import type { StorageAdapter, StorageTransaction } from "./storage.js";

/** What every use case of a service shares. */
export interface Engine {
  readonly storage: StorageAdapter;
  readonly events: EventEmitter;
  readonly clock: Clock;
  readonly uuid: UuidSource;
  /** What stands before the code in a pass's QR value, without a slash at its end. */
  readonly shortLinkBase: string;
}

/** Notes an event that is told once the transaction has committed. */
export type Recorder = <K extends EventType>(type: K, data: EventData[K]) => void;

/** One organization as one caller may see it: the organization's id and the caller's scopes, bound to the engine. */
export class Tenant {
  constructor(
    readonly engine: Engine,
    readonly organizationId: string,
    private readonly granted: ReadonlySet<string> | "all",
  ) {}

  get storage(): StorageAdapter {
    return this.engine.storage;
  }

  now(): number {
    return this.engine.clock();
  }

  newId(prefix: IdPrefix): string {
    return newId(prefix, this.engine.uuid);
  }

  holds(scope: Scope): boolean {
    return this.granted === "all" || this.granted.has(scope);
  }

  /** @throws {LoyaltyError} `access_denied` naming the scope, when the caller lacks it. */
  require(scope: Scope): void {
    if (!this.holds(scope)) throw accessDenied(scope);
  }

  /** Runs a change in one transaction, and tells its events after the commit, in the order they were recorded. */
  async change<T>(work: (tx: StorageTransaction, record: Recorder) => Promise<T>): Promise<T> {
    const { storage, events } = this.engine;
    const recorded: LoyaltyEvent[] = [];
    const result = await storage.transaction((tx) => {
      // An adapter may run the work again after a failure; only the run that commits counts.
      recorded.length = 0;
      return work(tx, (type, data) => recorded.push(this.envelope(type, data)));
    });
    for (const event of recorded) events.emit(this.organizationId, event);
    return result;
  }

  private envelope<K extends EventType>(type: K, data: EventData[K]): LoyaltyEvent<K> {
    return { id: this.newId("evt"), type, timestamp: timestamp(this.now()), data };
  }
}
