/** Pauses after consecutive transport failures, in milliseconds. The last pause repeats. */
const PAUSES = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000];

/**
 * A circuit breaker that stops emails from being sent while the transport is failing. After a failure, sending pauses, and then a
 * single email probes the transport. If the probe succeeds, sending resumes. Otherwise, a longer pause follows, up to a maximum of
 * five minutes.
 */
export class CircuitBreaker {
  private faults = 0;
  private pausedUntil = 0;
  private isProbing = false;
  /** Number of pauses so far. An email that started before the last pause says nothing about the transport since then. */
  private pauses = 0;

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
    return this.faults > 0;
  }

  /** Whether a pause is in progress, during which no email can start, not even a probe. */
  get isPaused(): boolean {
    return this.isWaiting && this.now() < this.pausedUntil;
  }

  /** How many emails can start now: any number (`Infinity`) while the transport works, or at most one probe otherwise. */
  get room(): number {
    if (!this.isWaiting) return Number.POSITIVE_INFINITY;
    return this.isPaused || this.isProbing ? 0 : 1;
  }

  /**
   * Records that one or more emails are about to be sent.
   * @returns a value to pass to `leave` with each email's result, or to `cancel`.
   */
  enter(): number {
    this.isProbing = this.isWaiting;
    return this.pauses;
  }

  /** Returns whether no pause has begun since the call to `enter` that returned the given value. */
  isSamePeriod(since: number): boolean {
    return since === this.pauses;
  }

  /** Records that the emails weren't sent after all, so that another email can probe the transport. */
  cancel(since: number): void {
    if (this.isSamePeriod(since)) this.isProbing = false;
  }

  leave(since: number, isFault: boolean): void {
    if (!this.isSamePeriod(since)) return;
    const wasWaiting = this.isWaiting;
    this.isProbing = false;
    if (isFault) {
      this.faults += 1;
      this.pauses += 1;
      this.pausedUntil = this.now() + (PAUSES[Math.min(this.faults, PAUSES.length) - 1] ?? 0);
    } else {
      this.faults = 0;
    }
    if (this.isWaiting !== wasWaiting) this.onChange(this.isWaiting);
  }
}
