import { withTimeout } from "../../../../src/base/concurrency/timeout.js";
import { isLoyaltyError } from "../../../../src/base/errors.js";
import { ALL_ORGANIZATIONS } from "../../../../src/storage/cooldowns.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import { backgroundTimer, CancellableDelay } from "../../../delivery/jobs/timers.js";

/** Interval between checks, in milliseconds. */
const CHECK_INTERVAL_MS = 1_000;

/**
 * Logs a line when the database responds again after an outage. Without this line, the log would show only when the outage began.
 * Failures that still allow reads, such as a full disk, don't count as outages.
 */
export class OutageWatch {
  private readonly delay = new CancellableDelay(backgroundTimer);
  private pendingCheck: Promise<void> | null = null;
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
    if (this.isClosed || this.pendingCheck !== null || !isLoyaltyError(error, "storage_unavailable")) return;
    this.pendingCheck = this.waitForRecovery().finally(() => {
      this.pendingCheck = null;
    });
  }

  /** Stops checking the database. Resolves when the check in progress, if any, has finished. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.delay.cancel();
    await this.pendingCheck;
  }

  private async waitForRecovery(): Promise<void> {
    const startedAt = this.now();
    let isOutage = false;
    while (!(await this.isAvailable())) {
      isOutage = true;
      if (!this.isClosed) await this.delay.wait(CHECK_INTERVAL_MS);
      if (this.isClosed) return;
    }
    if (this.isClosed) return;
    const seconds = Math.ceil((this.now() - startedAt) / 1_000);
    if (isOutage) this.log(`loyalty-kit: the database is available again after ${seconds} s`);
    // Wait before the next check, so that hundreds of errors cause only one check a second.
    else await this.delay.wait(CHECK_INTERVAL_MS);
  }

  private isAvailable(): Promise<boolean> {
    return probeStorage(this.storage).then(
      () => true,
      () => false,
    );
  }
}

const PROBE_TIMEOUT_MS = 2_000;

/**
 * Checks that the storage works by reading this release's tables in a snapshot. Times out after 2 s.
 * @throws the storage's error, or an error about the timeout.
 */
export async function probeStorage(storage: StorageAdapter): Promise<void> {
  const emptyCheck = storage.snapshot(ALL_ORGANIZATIONS, (reader) => reader.all.isEmpty());
  await withTimeout(PROBE_TIMEOUT_MS, emptyCheck, `storage didn't respond within ${PROBE_TIMEOUT_MS} ms`);
}
