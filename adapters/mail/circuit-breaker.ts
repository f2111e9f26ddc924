/** The pauses after the first failure of the transport, the second in a row, …, in milliseconds; the last one repeats. */
const PAUSES = [5_000, 15_000, 30_000, 60_000, 120_000, 300_000];

/**
 * Holds mails back while the transport is at fault. After a fault all of them wait for a pause. Then one is sent to try the
 * transport: when it is answered the others follow, and after another fault all wait longer.
 */
export class CircuitBreaker {
  private faults = 0;
  private pausedUntil = 0;
  private isProbing = false;
  /** Counts the pauses, because the result of a mail that began before the last pause says nothing about the time after it. */
  private pauses = 0;

  /**
   * @param now a clock that is never set back, in milliseconds.
   * @param onChange is called with true when mails begin to wait, and with false when they go again.
   */
  constructor(
    private readonly now: () => number,
    private readonly onChange: (isWaiting: boolean) => void,
  ) {}

  /** True while mails wait for the transport. */
  get isWaiting(): boolean {
    return this.faults > 0;
  }

  /** True while no mail may begin, not even the one that tries the transport. */
  get isPaused(): boolean {
    return this.isWaiting && this.now() < this.pausedUntil;
  }

  /** The number of mails that the transport allows to begin now. */
  get room(): number {
    if (!this.isWaiting) return Number.POSITIVE_INFINITY;
    return this.isPaused || this.isProbing ? 0 : 1;
  }

  /** Call it when mails begin. @returns a value to pass back with the result of each. */
  enter(): number {
    this.isProbing = this.isWaiting;
    return this.pauses;
  }

  /** Returns whether no pause has begun since then. */
  isSamePeriod(since: number): boolean {
    return since === this.pauses;
  }

  /** Tells that mails have not begun after all. */
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
