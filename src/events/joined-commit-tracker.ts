import { afterRunning } from "../concurrency/after-running.js";
import { runStep } from "../concurrency/step.js";
import { TaskTracker } from "../concurrency/task-tracker.js";
import { isLoyaltyError } from "../errors.js";
import type { StorageAdapter, StorageReader } from "../storage/storage-adapter.js";
import type { ErrorListener } from "./event-emitter.js";
import type { CommitSequencer } from "./outbox.js";
import type { EventBuffer } from "./recording.js";

/** The pauses between two reads of a transaction's outcome, in milliseconds, double from the first to the longest. */
const FIRST_PAUSE = 1;
const LONGEST_PAUSE = 250;

/** Events that are still missing after this long, in milliseconds, may have been rolled back, so reading alone is not enough. */
const UNKNOWN = 1_000;

/** A storage that stays unavailable for this long, in milliseconds for which the process runs, is given up. */
const PATIENCE = 600_000;

/** Finds out which changes in hosts' transactions are committed, one at a time in each organization, and tells their events. */
export class JoinedCommitTracker {
  private readonly checks = new TaskTracker();
  private isWaitingForEnd = false;
  private isClosing = false;

  constructor(
    private readonly storage: StorageAdapter,
    private readonly order: CommitSequencer,
    private readonly onError: ErrorListener,
  ) {}

  /** Notes the events of a change whose transaction is the host's to end. */
  track(recording: EventBuffer): void {
    if (!recording.isAwaited) return;
    const ask = () => this.checks.track(this.isCommitted(recording).then((isCommitted) => end(isCommitted)));
    const end = this.order.reserve(recording.organizationId, () => recording.publish(), ask);
  }

  /** Resolves when it is known what became of each, or storage is unavailable. */
  async whenIdle(): Promise<void> {
    this.isClosing = true;
    await this.checks.whenIdle();
  }

  /** Returns whether the change is committed. An outcome that stays unknown is reported as an error and counts as a rollback. */
  private async isCommitted(recording: EventBuffer): Promise<boolean> {
    const since = performance.now();
    let isGivenUp = false;
    const cancel = afterRunning(PATIENCE, () => {
      isGivenUp = true;
    });
    const mayTryAgain = (error: unknown) =>
      !this.isClosing && !isGivenUp && isLoyaltyError(error, "storage_unavailable");
    try {
      for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
        const isKept = await this.isPersisted(recording, performance.now() - since, mayTryAgain);
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

  /** Returns whether the change is committed; `null` while that is unknown. @throws what may not be tried again. */
  private async isPersisted(
    recording: EventBuffer,
    age: number,
    mayTryAgain: (error: unknown) => boolean,
  ): Promise<boolean | null> {
    try {
      const mayWait = age >= UNKNOWN && !this.isWaitingForEnd;
      return mayWait
        ? await this.isPersistedAfterEnd(recording)
        : await runStep(recording.isPersisted(this.storage));
    } catch (error) {
      if (!mayTryAgain(error)) throw error;
      return null;
    }
  }

  /**
   * A transaction of our own in the same organization has to wait until the host's has ended. One waits at a time: it may
   * hold a connection.
   */
  private async isPersistedAfterEnd(recording: EventBuffer): Promise<boolean> {
    const check = function* (tx: StorageReader) {
      return (yield* recording.isPersisted(tx)) ?? false;
    };
    this.isWaitingForEnd = true;
    try {
      return await this.storage.transaction(check);
    } finally {
      this.isWaitingForEnd = false;
    }
  }
}
