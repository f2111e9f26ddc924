/** Maximum number of emails in any period of this many seconds. */
export interface MailRate {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Limits emails to `requests` in any period of `seconds`. An email counts from its start until `seconds` after its end, so that the
 * server never sees a higher rate, no matter when it counts the email.
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

  /** Number of emails that may start now. */
  get free(): number {
    const { leaves } = this;
    const time = this.now();
    while (leaves[0] !== undefined && leaves[0] < time) leaves.shift();
    return this.rate.requests - this.underWay - leaves.length;
  }

  /** Milliseconds until the next ended email leaves the window; `null` if no ended email is in the window. */
  get wait(): number | null {
    const [first] = this.leaves;
    return first === undefined ? null : Math.max(1, Math.ceil(first - this.now()) + 1);
  }

  acquire(count: number): void {
    this.underWay += count;
  }

  /** Returns capacity that was acquired for emails that didn't start. */
  release(count: number): void {
    this.underWay -= count;
  }

  end(): void {
    this.underWay -= 1;
    this.leaves.push(this.now() + this.rate.seconds * 1_000);
  }
}
