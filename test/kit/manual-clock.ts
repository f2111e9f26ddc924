/** A clock that stands still until it is told to move. */
export class ManualClock {
  constructor(public now = Date.UTC(2026, 0, 1)) {}

  /** By how many milliseconds each reading moves it, as a real clock moves while a call goes on. */
  tick = 0;

  /** The clock that a service is given. */
  readonly read = (): number => {
    this.now += this.tick;
    return this.now;
  };

  /** @param ms may be negative: clocks are set back, too. */
  move(ms: number): void {
    this.now += ms;
  }

  /** The present as the interface writes it. */
  get timestamp(): string {
    return new Date(this.now).toISOString();
  }
}
