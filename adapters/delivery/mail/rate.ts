/** A sending rate: the maximum number of emails (`requests`) in any period of the given length. */
export interface MailRate {
  /** The maximum number of emails in the period. */
  readonly requests: number;
  /** The length of the period, in seconds. */
  readonly seconds: number;
}

/**
 * Limits emails to `requests` in any period of `seconds`. Each email counts from when it starts until `seconds` after it has
 * finished. This way, the server never sees a higher rate, whether it counts emails when they start or when they end.
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

  /** The number of emails that can start now without exceeding the rate. */
  get free(): number {
    const { leaves } = this;
    const time = this.now();
    while (leaves[0] !== undefined && leaves[0] < time) leaves.shift();
    return this.rate.requests - this.underWay - leaves.length;
  }

  /** How long it takes until a finished email no longer counts, in milliseconds, or `null` if no finished email counts. */
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
