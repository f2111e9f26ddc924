import { runStep } from "../../base/concurrency/step.js";
import { TaskTracker } from "../../base/concurrency/task-tracker.js";
import { setActiveTimeout } from "../../base/concurrency/timeout.js";
import { isLoyaltyError } from "../../base/errors.js";
import type { StorageAdapter, StorageReader } from "../../storage/storage-adapter.js";
import { type ErrorListener, EventEmitter } from "./event-emitter.js";
import { CommitSequencer, type Outbox } from "./outbox.js";
import type { EventBuffer } from "./recording.js";

/** Initial pause between two checks of a transaction's outcome, in milliseconds. It doubles up to `MAX_DELAY_MS`. */
const INITIAL_DELAY_MS = 1;

const MAX_DELAY_MS = 250;

/** Time in milliseconds after which missing events may mean a rollback, so reading alone is no longer enough. */
const ROLLBACK_CHECK_DELAY_MS = 1_000;

/** Time in milliseconds, while the process is running, after which an unavailable storage is given up on. */
const TIMEOUT_MS = 600_000;

/**
 * Determines whether changes in host transactions were committed, and publishes the committed changes' events. Checks one change at
 * a time per organization.
 */
class JoinedCommitTracker {
  private readonly checks = new TaskTracker();
  private isWaitingForHostTransaction = false;
  private isClosing = false;

  constructor(
    private readonly storage: StorageAdapter,
    private readonly commitSequencer: CommitSequencer,
    private readonly onError: ErrorListener,
  ) {}

  /** Tracks a change made in a host transaction. The change's events are published only if the host commits. */
  track(eventBuffer: EventBuffer): void {
    if (!eventBuffer.isAwaited) return;
    const startCheck = () =>
      this.checks.track(this.isCommitted(eventBuffer).then((isCommitted) => reportOutcome(isCommitted)));
    const reportOutcome = this.commitSequencer.reserve(
      eventBuffer.organizationId,
      () => eventBuffer.publish(),
      startCheck,
    );
  }

  /** Resolves when the outcomes of all changes are known, or when storage is unavailable. */
  async whenIdle(): Promise<void> {
    this.isClosing = true;
    await this.checks.whenIdle();
  }

  /**
   * Returns whether the change was committed. An outcome that can't be determined is reported as an error and counts as a rollback.
   */
  private async isCommitted(eventBuffer: EventBuffer): Promise<boolean> {
    const startedAt = performance.now();
    let hasTimedOut = false;
    const cancelTimeout = setActiveTimeout(TIMEOUT_MS, () => {
      hasTimedOut = true;
    });
    const mayRetry = (error: unknown) =>
      !this.isClosing && !hasTimedOut && isLoyaltyError(error, "storage_unavailable");
    try {
      for (let delayMs = INITIAL_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
        const isPersisted = await this.isPersisted(eventBuffer, performance.now() - startedAt, mayRetry);
        if (isPersisted !== null) return isPersisted;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    } catch (error) {
      this.onError(error);
      return false;
    } finally {
      cancelTimeout();
    }
  }

  /**
   * Returns whether the change was committed; `null` while that is unknown.
   * @throws any error after which a retry is not allowed.
   */
  private async isPersisted(
    eventBuffer: EventBuffer,
    elapsedMs: number,
    mayRetry: (error: unknown) => boolean,
  ): Promise<boolean | null> {
    try {
      const shouldWaitForHostTransaction =
        elapsedMs >= ROLLBACK_CHECK_DELAY_MS && !this.isWaitingForHostTransaction;
      return shouldWaitForHostTransaction
        ? await this.isPersistedAfterHostTransaction(eventBuffer)
        : await runStep(eventBuffer.isPersisted(this.storage.reader(eventBuffer.organizationId)));
    } catch (error) {
      if (!mayRetry(error)) throw error;
      return null;
    }
  }

  /**
   * Checks in a transaction of this storage, which must wait until the host's transaction in the same organization has ended. Only
   * one check waits at a time, because it may hold a connection.
   */
  private async isPersistedAfterHostTransaction(eventBuffer: EventBuffer): Promise<boolean> {
    const check = function* (tx: StorageReader) {
      return (yield* eventBuffer.isPersisted(tx)) ?? false;
    };
    this.isWaitingForHostTransaction = true;
    try {
      return await this.storage.transaction(eventBuffer.organizationId, check, { isOutOfTurn: true });
    } finally {
      this.isWaitingForHostTransaction = false;
    }
  }
}

/** Publishes the events of committed changes, in commit order: to listeners in this process, and to workers through the outbox. */
export class EventDelivery {
  /** Delivers events to listeners in this process. */
  readonly emitter: EventEmitter;
  private readonly commitSequencer = new CommitSequencer();
  private readonly joinedCommits: JoinedCommitTracker;

  /** @param outbox the outbox that stores events, or `null` to deliver events only to listeners in this process. */
  constructor(
    storage: StorageAdapter,
    readonly outbox: Outbox | null,
    onError: ErrorListener,
  ) {
    this.emitter = new EventEmitter(onError);
    this.joinedCommits = new JoinedCommitTracker(storage, this.commitSequencer, onError);
  }

  /**
   * Reserves a change's place in the commit order. Call this after the change's work is done but before the change commits.
   * @returns a function to call once, passing `true` if the change was committed or `false` if it wasn't. See {@link
   *   CommitSequencer.reserve}.
   */
  reserve(events: EventBuffer): (isCommitted: boolean) => Promise<void> {
    return this.commitSequencer.reserve(events.organizationId, () => events.publish());
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
