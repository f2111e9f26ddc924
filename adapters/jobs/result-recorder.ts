import { CancellableDelay, type SetTimer } from "./timers.js";
import type { WorkerState } from "./worker.js";

/**
 * The pauses before retries while the storage fails or another transaction holds the lock, in milliseconds; after the last one the
 * claims have expired anyway.
 */
const PAUSES = [50, 250, 1_000, 2_000, 4_000, 8_000, 16_000];

/** The longest of them that the end of the worker waits for. */
const LAST_PAUSE_MS = 1_000;

/** Records the results of attempts at one place. Those that come one soon after the other are recorded together. */
export class ResultRecorder<Attempted> {
  private waiting: Attempted[] = [];
  private settling: Promise<void> | null = null;

  /**
   * @param record returns false if another transaction holds the lock.
   * @param debounceMs how long results wait for others, because a transaction costs as much as some attempts.
   */
  constructor(
    private readonly record: (attempted: readonly Attempted[]) => Promise<boolean>,
    private readonly after: SetTimer,
    private readonly worker: WorkerState,
    private readonly debounceMs: number,
  ) {}

  add(attempted: Attempted): void {
    this.waiting.push(attempted);
    this.settling ??= this.recordBatch();
  }

  get isSettled(): boolean {
    return this.settling === null;
  }

  /** Resolves when all results so far are recorded, or given up. */
  async whenIdle(): Promise<void> {
    await this.settling;
  }

  private async recordBatch(): Promise<void> {
    while (this.waiting.length > 0) {
      if (this.debounceMs > 0) await new CancellableDelay(this.after).wait(this.debounceMs);
      const attempted = this.waiting;
      this.waiting = [];
      await this.write(attempted);
    }
    this.settling = null;
  }

  /** Results that can't be recorded are lost: the attempts are made once more when the claims end. */
  private async write(attempted: readonly Attempted[]): Promise<void> {
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
      await new CancellableDelay(this.after).wait(pause);
    }
  }
}
