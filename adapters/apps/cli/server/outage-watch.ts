import { withTimeout } from "../../../../src/base/concurrency/timeout.js";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import { ALL_ORGANIZATIONS } from "../../../../src/storage/cooldowns.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { backgroundTimer, CancellableDelay } from "../../../delivery/jobs/timers.js";

/** Interval between checks, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * Logs a line when the database responds again after an outage. Without this line, the log would show only when the outage began.
 * Failures that still allow reads, such as a full disk, don't count as outages.
 */
export class OutageWatch {
  private readonly pause = new CancellableDelay(backgroundTimer);
  private looking: Promise<void> | null = null;
  private isClosed = false;

  /** @param log a function that writes a line to the log. */
  constructor(
    private readonly storage: StorageAdapter,
    private readonly log: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Handles an error. If the error means that the storage is unavailable, checks the database repeatedly until it is available
   * again. Ignores errors during these checks.
   */
  onError(error: unknown): void {
    if (this.isClosed || this.looking !== null || !isLoyaltyError(error, "storage_unavailable")) return;
    this.looking = this.probe().finally(() => {
      this.looking = null;
    });
  }

  /** Stops checking the database. Resolves when the check in progress, if any, has finished. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.pause.cancel();
    await this.looking;
  }

  private async probe(): Promise<void> {
    const since = this.now();
    let isOutage = false;
    while (!(await this.isAvailable())) {
      isOutage = true;
      if (!this.isClosed) await this.pause.wait(LOOK_EVERY_MS);
      if (this.isClosed) return;
    }
    if (this.isClosed) return;
    const seconds = Math.ceil((this.now() - since) / 1_000);
    if (isOutage) this.log(`loyalty-kit: the database is available again after ${seconds} s`);
    // Wait before the next check, so that hundreds of errors cause only one check a second.
    else await this.pause.wait(LOOK_EVERY_MS);
  }

  private isAvailable(): Promise<boolean> {
    return probe(this.storage).then(
      () => true,
      () => false,
    );
  }
}

const PATIENCE_MS = 2_000;

/**
 * Checks that the storage works by reading this release's tables in a snapshot. Times out after 2 s.
 * @throws the storage's error, or an error about the timeout.
 */
export async function probe(storage: StorageAdapter): Promise<void> {
  const emptyCheck = storage.snapshot(ALL_ORGANIZATIONS, (reader) => reader.all.isEmpty());
  await withTimeout(PATIENCE_MS, emptyCheck, `storage didn't respond within ${PATIENCE_MS} ms`);
}
