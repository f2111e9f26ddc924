/** A sending rate: at most `requests` emails in any period of `seconds` seconds. */
export interface MailRate {
  /** The maximum number of emails in the period. */
  readonly requests: number;
  /** The length of the period, in seconds. */
  readonly seconds: number;
}

/**
 * Limits sending to `requests` emails in any period of `seconds` seconds. Each email counts from when it starts until `seconds`
 * seconds after it finishes. The server therefore never sees a higher rate, whether it counts emails when they start or when they
 * end.
 */
export class MailRateLimiter {
  private inFlight = 0;
  /** The times at which ended emails leave the window, in ascending order. */
  private readonly expiryTimes: number[] = [];

  /** @param now a monotonic clock, in milliseconds. */
  constructor(
    private readonly rate: MailRate,
    private readonly now: () => number,
  ) {}

  /** How many emails can start now without exceeding the rate. */
  get capacity(): number {
    const { expiryTimes } = this;
    const time = this.now();
    while (expiryTimes[0] !== undefined && expiryTimes[0] < time) expiryTimes.shift();
    return this.rate.requests - this.inFlight - expiryTimes.length;
  }

  /**
   * Time until the oldest finished email stops counting toward the limit, in milliseconds, or `null` if no finished email counts.
   */
  get waitMs(): number | null {
    const [first] = this.expiryTimes;
    return first === undefined ? null : Math.max(1, Math.ceil(first - this.now()) + 1);
  }

  acquire(count: number): void {
    this.inFlight += count;
  }

  /** Releases capacity that was acquired for emails that never started. */
  release(count: number): void {
    this.inFlight -= count;
  }

  end(): void {
    this.inFlight -= 1;
    this.expiryTimes.push(this.now() + this.rate.seconds * 1_000);
  }
}
