/** A clock that stands still until it is moved. */
export class ManualClock {
  constructor(public now = Date.UTC(2026, 0, 1)) {}

  /** Milliseconds that each reading advances it, as a real clock advances during a call. */
  tick = 0;

  /** The clock function that a service gets. */
  readonly read = (): number => {
    this.now += this.tick;
    return this.now;
  };

  /** @param ms may be negative, because clocks are also set back. */
  move(ms: number): void {
    this.now += ms;
  }

  /** The current time as the API writes it. */
  get timestamp(): string {
    return new Date(this.now).toISOString();
  }
}
