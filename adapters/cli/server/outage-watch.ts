import { isLoyaltyError } from "../../../src/errors.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import { backgroundTimer, CancellableDelay } from "../../jobs/timers.js";
import { probe } from "./storage-probe.js";

/** The time between two looks, in milliseconds. */
const LOOK_EVERY_MS = 1_000;

/**
 * Reports when a database responds again after an outage, because the log would otherwise show its beginning and never its end. A
 * failure while the database can be read, as on a full disk, is no outage.
 */
export class OutageWatch {
  private readonly pause = new CancellableDelay(backgroundTimer);
  private looking: Promise<void> | null = null;
  private isClosed = false;

  /** @param tell gets the line. */
  constructor(
    private readonly storage: StorageAdapter,
    private readonly tell: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Looks into what failed, one outage at a time, and until it is over. */
  onError(error: unknown): void {
    if (this.isClosed || this.looking !== null || !isLoyaltyError(error, "storage_unavailable")) return;
    this.looking = this.probe().finally(() => {
      this.looking = null;
    });
  }

  /** Stops checking. Resolves when the running check has ended. */
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
    if (isOutage) this.tell(`loyalty-kit: the database is available again after ${seconds} s`);
    // Errors that come by the hundred ask for one look a second.
    else await this.pause.wait(LOOK_EVERY_MS);
  }

  private isAvailable(): Promise<boolean> {
    return probe(this.storage).then(
      () => true,
      () => false,
    );
  }
}
