/** The most mails within any period of this many seconds. */
export interface MailRate {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Limits mails to `requests` in any period of `seconds`. A mail counts from its beginning until `seconds` after its end, so the
 * server too sees no higher rate, whenever it counts the mail.
 */
export class MailRateLimiter {
  private underWay = 0;
  /** When each mail that has ended leaves the window, the first to leave first. */
  private readonly leaves: number[] = [];

  /** @param now a clock that is never set back, in milliseconds. */
  constructor(
    private readonly rate: MailRate,
    private readonly now: () => number,
  ) {}

  /** The number of mails that may begin now. */
  get free(): number {
    const { leaves } = this;
    const time = this.now();
    while (leaves[0] !== undefined && leaves[0] < time) leaves.shift();
    return this.rate.requests - this.underWay - leaves.length;
  }

  /** The milliseconds until one of the mails that have ended leaves the window; `null` if there is none. */
  get wait(): number | null {
    const [first] = this.leaves;
    return first === undefined ? null : Math.max(1, Math.ceil(first - this.now()) + 1);
  }

  acquire(count: number): void {
    this.underWay += count;
  }

  /** Takes back the beginning of mails that have not begun after all. */
  release(count: number): void {
    this.underWay -= count;
  }

  end(): void {
    this.underWay -= 1;
    this.leaves.push(this.now() + this.rate.seconds * 1_000);
  }
}
