import type { Clock } from "./clock.js";
import type { CommitOrder } from "./commit-order.js";
import { accessDenied } from "./errors.js";
import type { EventEmitter } from "./events.js";
import { type IdPrefix, newId, type UuidSource } from "./ids.js";
import type { JoinedChanges } from "./joined-changes.js";
import type { Outbox } from "./outbox.js";
import { Pace } from "./pace.js";
import { type Recorder, Recording } from "./recording.js";
import type { Scope } from "./scopes.js";
import type { HostTransaction, StorageAdapter, StorageTransaction } from "./storage.js";
import type { UnderWay } from "./under-way.js";

/** What every use case of a service shares. */
export interface Engine {
  readonly storage: StorageAdapter;
  readonly events: EventEmitter;
  /** `null` when events are told to listeners only. */
  readonly outbox: Outbox | null;
  /** The changes that closing waits for. */
  readonly changes: UnderWay;
  readonly commitOrder: CommitOrder;
  readonly joinedChanges: JoinedChanges;
  readonly clock: Clock;
  readonly uuid: UuidSource;
  /** What stands before the code in a pass's QR value, without a slash at its end. */
  readonly shortLinkBase: string;
}

/** What a change does. */
export type Work<T> = (tx: StorageTransaction, record: Recorder, flush: Flush) => Promise<T>;

/**
 * Writes what was recorded so far, and gives others a turn. Between the steps of a large change this bounds what is in
 * memory and how long the host waits.
 */
export type Flush = () => Promise<void>;

/** One organization as one caller may see it: the organization's id and the caller's scopes, bound to the engine. */
export class Tenant {
  constructor(
    readonly engine: Engine,
    readonly organizationId: string,
    private readonly granted: ReadonlySet<string> | "all",
    private readonly isJoining = false,
  ) {}

  /** This tenant as a part of a host's transaction. @throws {TypeError} when the storage can't join any. */
  joining(host: HostTransaction): Tenant {
    const { engine, organizationId, granted } = this;
    return new Tenant({ ...engine, storage: engine.storage.joining(host) }, organizationId, granted, true);
  }

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

  /**
   * Runs a change in one transaction, and tells its events after the commit, in the order they were recorded.
   * @param isLarge finds out whether it may change thousands of rows.
   */
  change<T>(work: Work<T>, isLarge: () => Promise<boolean> = isSmall): Promise<T> {
    return this.engine.changes.note(this.changeAndTell(work, isLarge));
  }

  private async changeAndTell<T>(work: Work<T>, isLarge: () => Promise<boolean>): Promise<T> {
    const { engine, organizationId } = this;
    const options = { isLarge: await isLarge() };
    let recording = new Recording(engine, organizationId);
    let end = nothingToTell;
    try {
      const result = await engine.storage.transaction(async (tx) => {
        // The storage may run the work again; only the run that commits counts.
        await end(false);
        end = nothingToTell;
        const run = new Recording(engine, organizationId);
        recording = run;
        const pace = new Pace();
        const flush = async () => {
          await run.write(tx);
          if (pace.isTurnDue) await pace.turn();
        };
        const result = await work(tx, run.record, flush);
        await run.write(tx);
        if (!this.isJoining) {
          end = engine.commitOrder.expect(organizationId, () => engine.joinedChanges.committed(run));
        }
        return result;
      }, options);
      if (this.isJoining) engine.joinedChanges.add(recording);
      await end(true);
      return result;
    } catch (error) {
      await end(false);
      throw error;
    }
  }
}

/** The end of a change that has no place among the others. */
const nothingToTell = async (_isCommitted: boolean): Promise<void> => {};

const isSmall = () => Promise.resolve(false);
