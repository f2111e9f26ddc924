import { runStep } from "../../base/concurrency/step.js";
import { TaskTracker } from "../../base/concurrency/task-tracker.js";
import { setActiveTimeout } from "../../base/concurrency/timeout.js";
import { isLoyaltyError } from "../../base/errors.js";
import type { StorageAdapter, StorageReader } from "../../storage/storage-adapter.js";
import { type ErrorListener, EventEmitter } from "./event-emitter.js";
import { CommitSequencer, type Outbox } from "./outbox.js";
import type { EventBuffer } from "./recording.js";

/** Initial pause between two checks of a transaction's outcome, in milliseconds. It doubles up to `MAX_PAUSE_MS`. */
const FIRST_PAUSE = 1;

const MAX_PAUSE_MS = 250;

/** Time in milliseconds after which missing events may mean a rollback, so reading alone is no longer enough. */
const UNKNOWN = 1_000;

/** Time in milliseconds, while the process is running, after which an unavailable storage is given up on. */
const TIMEOUT_MS = 600_000;

/**
 * Determines whether changes in host transactions were committed, and publishes the committed changes' events. Checks one change at
 * a time per organization.
 */
class JoinedCommitTracker {
  private readonly checks = new TaskTracker();
  private isWaitingForEnd = false;
  private isClosing = false;

  constructor(
    private readonly storage: StorageAdapter,
    private readonly order: CommitSequencer,
    private readonly onError: ErrorListener,
  ) {}

  /** Tracks a change made in a host transaction. The change's events are published only if the host commits. */
  track(recording: EventBuffer): void {
    if (!recording.isAwaited) return;
    const ask = () => this.checks.track(this.isCommitted(recording).then((isCommitted) => end(isCommitted)));
    const end = this.order.reserve(recording.organizationId, () => recording.publish(), ask);
  }

  /** Resolves when the outcomes of all changes are known, or when storage is unavailable. */
  async whenIdle(): Promise<void> {
    this.isClosing = true;
    await this.checks.whenIdle();
  }

  /**
   * Returns whether the change was committed. An outcome that can't be determined is reported as an error and counts as a rollback.
   */
  private async isCommitted(recording: EventBuffer): Promise<boolean> {
    const startedAt = performance.now();
    let isGivenUp = false;
    const cancel = setActiveTimeout(TIMEOUT_MS, () => {
      isGivenUp = true;
    });
    const mayTryAgain = (error: unknown) =>
      !this.isClosing && !isGivenUp && isLoyaltyError(error, "storage_unavailable");
    try {
      for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
        const isKept = await this.isPersisted(recording, performance.now() - startedAt, mayTryAgain);
        if (isKept !== null) return isKept;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    } catch (error) {
      this.onError(error);
      return false;
    } finally {
      cancel();
    }
  }

  /**
   * Returns whether the change was committed; `null` while that is unknown.
   * @throws any error after which a retry is not allowed.
   */
  private async isPersisted(
    recording: EventBuffer,
    age: number,
    mayTryAgain: (error: unknown) => boolean,
  ): Promise<boolean | null> {
    try {
      const mayWait = age >= UNKNOWN && !this.isWaitingForEnd;
      return mayWait
        ? await this.isPersistedAfterEnd(recording)
        : await runStep(recording.isPersisted(this.storage.reader(recording.organizationId)));
    } catch (error) {
      if (!mayTryAgain(error)) throw error;
      return null;
    }
  }

  /**
   * Checks in a transaction of this storage, which must wait until the host's transaction in the same organization has ended. Only
   * one check waits at a time, because it may hold a connection.
   */
  private async isPersistedAfterEnd(recording: EventBuffer): Promise<boolean> {
    const check = function* (tx: StorageReader) {
      return (yield* recording.isPersisted(tx)) ?? false;
    };
    this.isWaitingForEnd = true;
    try {
      return await this.storage.transaction(recording.organizationId, check, { isOutOfTurn: true });
    } finally {
      this.isWaitingForEnd = false;
    }
  }
}

/** Publishes the events of committed changes, in commit order: to listeners in this process, and to workers through the outbox. */
export class EventDelivery {
  /** Delivers events to listeners in this process. */
  readonly emitter: EventEmitter;
  private readonly order = new CommitSequencer();
  private readonly joinedCommits: JoinedCommitTracker;

  /** @param outbox the outbox that stores events, or `null` to deliver events only to listeners in this process. */
  constructor(
    storage: StorageAdapter,
    readonly outbox: Outbox | null,
    onError: ErrorListener,
  ) {
    this.emitter = new EventEmitter(onError);
    this.joinedCommits = new JoinedCommitTracker(storage, this.order, onError);
  }

  /**
   * Reserves a change's place in the commit order. Call this after the change's work is done but before the change commits.
   * @returns a function to call once, passing `true` if the change was committed or `false` if it wasn't. See {@link
   *   CommitSequencer.reserve}.
   */
  reserve(events: EventBuffer): (isCommitted: boolean) => Promise<void> {
    return this.order.reserve(events.organizationId, () => events.publish());
  }

  /** Publishes a change's events once the host commits the transaction that contains the change. */
  awaitHostCommit(events: EventBuffer): void {
    this.joinedCommits.track(events);
  }

  /** Resolves once the outcomes of all changes in host transactions are known and all events have been emitted. */
  async whenIdle(): Promise<void> {
    await this.joinedCommits.whenIdle();
    await this.emitter.whenIdle();
  }
}
