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
  private underWay = 0;
  /** The times at which ended emails leave the window, in ascending order. */
  private readonly leaves: number[] = [];

  /** @param now a monotonic clock, in milliseconds. */
  constructor(
    private readonly rate: MailRate,
    private readonly now: () => number,
  ) {}

  /** How many emails can start now without exceeding the rate. */
  get free(): number {
    const { leaves } = this;
    const time = this.now();
    while (leaves[0] !== undefined && leaves[0] < time) leaves.shift();
    return this.rate.requests - this.underWay - leaves.length;
  }

  /**
   * Time until the oldest finished email stops counting toward the limit, in milliseconds, or `null` if no finished email counts.
   */
  get wait(): number | null {
    const [first] = this.leaves;
    return first === undefined ? null : Math.max(1, Math.ceil(first - this.now()) + 1);
  }

  acquire(count: number): void {
    this.underWay += count;
  }

  /** Releases capacity that was acquired for emails that never started. */
  release(count: number): void {
    this.underWay -= count;
  }

  end(): void {
    this.underWay -= 1;
    this.leaves.push(this.now() + this.rate.seconds * 1_000);
  }
}
