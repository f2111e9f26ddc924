import type { AttemptResult, DeliveryJob, SettledAttempt } from "../../src/webhooks/queue.js";
import { type After, Pause } from "../jobs/timers.js";
import type { WorkerState } from "../jobs/worker.js";

/**
 * The time that a storage that fails has to come back, and another transaction to let go of the endpoint, in milliseconds:
 * then the claims have ended anyway.
 */
const PAUSES = [50, 250, 1_000, 2_000, 4_000, 8_000, 16_000];

/** The longest of them that the end of the worker waits for. */
const LAST_PAUSE_MS = 1_000;

/** Results wait so long for others, in milliseconds: each transaction costs as much as some attempts. */
const GATHER_MS = 20;

/** Records the results of attempts at one endpoint. Those that come one soon after the other are recorded together. */
export class Settlement {
  private waiting: SettledAttempt[] = [];
  private settling: Promise<void> | null = null;

  /** @param record returns false when another transaction has the endpoint locked. */
  constructor(
    private readonly record: (attempted: readonly SettledAttempt[]) => Promise<boolean>,
    private readonly after: After,
    private readonly worker: WorkerState,
  ) {}

  add(job: DeliveryJob, result: AttemptResult): void {
    this.waiting.push({ job, result });
    this.settling ??= this.settle();
  }

  /** Resolves when all results so far are recorded, or given up. */
  async settled(): Promise<void> {
    await this.settling;
  }

  private async settle(): Promise<void> {
    while (this.waiting.length > 0) {
      await new Pause(this.after).wait(GATHER_MS);
      const attempted = this.waiting;
      this.waiting = [];
      await this.write(attempted);
    }
    this.settling = null;
  }

  /** Results that can't be recorded are lost: the events are sent once more when the claims end. */
  private async write(attempted: readonly SettledAttempt[]): Promise<void> {
    const { worker } = this;
    for (const pause of [...PAUSES, null]) {
      try {
        const isRecorded = await this.record(attempted);
        worker.succeeded();
        if (isRecorded) return;
      } catch (error) {
        worker.failed(error);
      }
      if (pause === null || (worker.isClosing() && pause > LAST_PAUSE_MS)) return;
      await new Pause(this.after).wait(pause);
    }
  }
}
