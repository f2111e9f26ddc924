/** A clock that stands still until it is told to move. */
export class ManualClock {
  constructor(public now = Date.UTC(2026, 0, 1)) {}

  /** The clock that a service is given. */
  readonly read = (): number => this.now;

  /** @param ms may be negative: clocks are set back, too. */
  move(ms: number): void {
    this.now += ms;
  }

  /** The present as the interface writes it. */
  get timestamp(): string {
    return new Date(this.now).toISOString();
  }
}
