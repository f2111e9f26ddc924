import { CancellableDelay, type SetTimer } from "./timers.js";
import type { WorkerState } from "./worker.js";

/**
 * Pauses before retries while storage fails or another transaction holds the lock, in milliseconds. After the last pause, the
 * claims have expired anyway.
 */
const PAUSES = [50, 250, 1_000, 2_000, 4_000, 8_000, 16_000];

/** Longest pause, in milliseconds, that a closing worker still waits for. */
const LAST_PAUSE_MS = 1_000;

/** Records the results of attempts for one target. Results that arrive in quick succession are recorded in one transaction. */
export class ResultRecorder<Attempted> {
  private waiting: Attempted[] = [];
  private settling: Promise<void> | null = null;

  /**
   * @param record the function that records the results. It resolves to `false` if another transaction holds the lock.
   * @param debounceMs how long to wait for more results before recording, in milliseconds. Waiting reduces the number of
   *   transactions. A transaction costs as much as several attempts.
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

  /** Resolves once every result added so far has been recorded or has been abandoned after the last retry. */
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

  /** Records results, with retries. If that fails, the results are lost, and the attempts are repeated when their claims expire. */
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
