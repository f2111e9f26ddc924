/** Pauses after consecutive transport failures, in milliseconds. The last pause repeats. */
const PAUSES_MS = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000];

/**
 * A circuit breaker that stops emails from being sent while the transport is failing. After a failure, sending pauses, and then a
 * single email probes the transport. If the probe succeeds, sending resumes. Otherwise, a longer pause follows, up to a maximum of
 * five minutes.
 */
export class CircuitBreaker {
  private consecutiveFailures = 0;
  private pausedUntil = 0;
  private isProbing = false;
  /** Number of pauses so far. An email that started before the last pause says nothing about the transport since then. */
  private pauseCount = 0;

  /**
   * @param now a monotonic clock, in milliseconds.
   * @param onChange a function called with `true` when emails start to wait and with `false` when sending resumes.
   */
  constructor(
    private readonly now: () => number,
    private readonly onChange: (isWaiting: boolean) => void,
  ) {}

  /** Whether emails are waiting for the transport to recover. */
  get isWaiting(): boolean {
    return this.consecutiveFailures > 0;
  }

  /** Whether a pause is in progress, during which no email can start, not even a probe. */
  get isPaused(): boolean {
    return this.isWaiting && this.now() < this.pausedUntil;
  }

  /** How many emails can start now: any number (`Infinity`) while the transport works, or at most one probe otherwise. */
  get capacity(): number {
    if (!this.isWaiting) return Number.POSITIVE_INFINITY;
    return this.isPaused || this.isProbing ? 0 : 1;
  }

  /**
   * Records that one or more emails are about to be sent.
   * @returns a value to pass to `recordResult` with each email's result, or to `cancel`.
   */
  recordStart(): number {
    this.isProbing = this.isWaiting;
    return this.pauseCount;
  }

  /** Returns whether no pause has begun since the call to `recordStart` that returned the given value. */
  isSamePeriod(period: number): boolean {
    return period === this.pauseCount;
  }

  /** Records that the emails weren't sent after all, so that another email can probe the transport. */
  cancel(period: number): void {
    if (this.isSamePeriod(period)) this.isProbing = false;
  }

  recordResult(period: number, isFault: boolean): void {
    if (!this.isSamePeriod(period)) return;
    const wasWaiting = this.isWaiting;
    this.isProbing = false;
    if (isFault) {
      this.consecutiveFailures += 1;
      this.pauseCount += 1;
      this.pausedUntil =
        this.now() + (PAUSES_MS[Math.min(this.consecutiveFailures, PAUSES_MS.length) - 1] ?? 0);
    } else {
      this.consecutiveFailures = 0;
    }
    if (this.isWaiting !== wasWaiting) this.onChange(this.isWaiting);
  }
}
