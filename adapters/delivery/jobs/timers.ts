/**
 * Starts a timer that calls back after a delay.
 * @param ms the delay in milliseconds.
 * @returns a function that cancels the timer.
 */
export type SetTimer = (ms: number, work: () => void) => () => void;

/** Starts timers that keep the process running until they fire. */
export const systemTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
};

/** Starts timers that don't keep the process running. */
export const backgroundTimer: SetTimer = (ms, work) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

/** A delay that can be ended early. */
export class CancellableDelay {
  private end: (() => void) | null = null;

  constructor(private readonly after: SetTimer) {}

  /** Resolves after the delay, or as soon as the delay is canceled. Only one wait can run at a time. */
  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancelTimer = this.after(ms, resolve);
      this.end = () => {
        cancelTimer();
        resolve();
      };
    });
    this.end = null;
  }

  cancel(): void {
    this.end?.();
  }
}

/** Maximum pause after failures, in milliseconds. A longer poll interval takes precedence. */
const MAX_PAUSE_MS = 30_000;

interface PollLoopOptions {
  /** Maximum time from the end of a successful run to the start of the next, in milliseconds. */
  readonly pollMs: number;
  /**
   * Returns the minimum time from the end of one run to the start of the next, in milliseconds. The minimum applies even if the
   * loop is woken early. Default: 0.
   */
  readonly minPauseMs?: () => number;
  /** Time from {@link PollLoop.start} to the first run, in milliseconds. Default: 0. */
  readonly initialDelayMs?: number;
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
    const { initialDelayMs = 0 } = this.options;
    if (initialDelayMs > 0) await this.wait(initialDelayMs);
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
