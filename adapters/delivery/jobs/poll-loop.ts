import { CancellableDelay, type SetTimer, systemTimer } from "./timers.js";

/** Maximum pause after failures, in milliseconds. A longer poll interval takes precedence. */
const MAX_PAUSE_MS = 30_000;

export interface PollLoopOptions {
  /** Maximum time from the end of a successful run to the start of the next, in milliseconds. */
  readonly pollMs: number;
  /**
   * Returns the minimum time from the end of one run to the start of the next, in milliseconds. The minimum applies even if the
   * loop is woken early. Default: 0.
   */
  readonly minPauseMs?: () => number;
  /** Time from {@link PollLoop.start} to the first run, in milliseconds. Default: 0. */
  readonly firstMs?: number;
  readonly after?: SetTimer;
}

/** Runs a task repeatedly, one run at a time, until it is stopped. */
export class PollLoop {
  private readonly pause: CancellableDelay;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;
  /** Whether the loop has been woken since the last run began. */
  private isWoken = false;
  private isPolling = false;
  private failures = 0;

  /**
   * @param work the task to run. It must never reject, and must resolve to `false` if it fails. The pause between runs doubles with
   *   each consecutive failure.
   */
  constructor(
    private readonly work: () => Promise<unknown>,
    private readonly options: PollLoopOptions,
  ) {
    this.pause = new CancellableDelay(options.after ?? systemTimer);
  }

  start(): void {
    this.running = this.run();
  }

  /**
   * Starts the next run early, but not before the minimum pause has passed. Has no effect while the loop is paused after a failure.
   */
  wake(): void {
    this.isWoken = true;
    if (this.isPolling) this.pause.cancel();
  }

  /** Stops starting new runs. Resolves once the current run has finished. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.pause.cancel();
    await this.running;
  }

  private async run(): Promise<void> {
    const { firstMs = 0 } = this.options;
    if (firstMs > 0) await this.wait(firstMs);
    while (!this.isStopped) {
      this.isWoken = false;
      this.failures = (await this.work()) === false ? this.failures + 1 : 0;
      await this.waitForNext();
    }
  }

  private async waitForNext(): Promise<void> {
    const { pollMs, minPauseMs } = this.options;
    if (this.failures > 0) {
      return this.wait(Math.max(pollMs, Math.min(MAX_PAUSE_MS, 1_000 * 2 ** this.failures)));
    }
    if (minPauseMs !== undefined) await this.wait(minPauseMs());
    if (this.isWoken) return;
    this.isPolling = true;
    await this.wait(pollMs);
    this.isPolling = false;
  }

  private async wait(ms: number): Promise<void> {
    if (!this.isStopped) await this.pause.wait(ms);
  }
}
