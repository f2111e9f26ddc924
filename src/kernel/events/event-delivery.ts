import type { StorageAdapter } from "../../storage/storage-adapter.js";
import { type ErrorListener, EventEmitter } from "./event-emitter.js";
import { JoinedCommitTracker } from "./joined-commit-tracker.js";
import { CommitSequencer, type Outbox } from "./outbox.js";
import type { EventBuffer } from "./recording.js";

/** Publishes the events of committed changes, in commit order: to listeners in this process, and to workers through the outbox. */
export class EventDelivery {
  /** Delivers events to listeners in this process. */
  readonly emitter: EventEmitter;
  private readonly order = new CommitSequencer();
  private readonly joined: JoinedCommitTracker;

  /** @param outbox the outbox that stores events, or `null` if events only go to listeners in this process. */
  constructor(
    storage: StorageAdapter,
    readonly outbox: Outbox | null,
    onError: ErrorListener,
  ) {
    this.emitter = new EventEmitter(onError);
    this.joined = new JoinedCommitTracker(storage, this.order, onError);
  }

  /**
   * Reserves a change's place in the commit order. Call this when the change's work is done, before it commits.
   * @returns a function to call once, passing whether the change was committed. See {@link CommitSequencer.reserve}.
   */
  reserve(events: EventBuffer): (isCommitted: boolean) => Promise<void> {
    return this.order.reserve(events.organizationId, () => events.publish());
  }

  /** Publishes the events of a change in a host transaction if the host commits the transaction. */
  awaitHostCommit(events: EventBuffer): void {
    this.joined.track(events);
  }

  /** Resolves when the outcomes of changes in host transactions are known and all events have been emitted. */
  async whenIdle(): Promise<void> {
    await this.joined.whenIdle();
    await this.emitter.whenIdle();
  }
}
