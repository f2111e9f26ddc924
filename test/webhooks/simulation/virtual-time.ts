/** A clock and timers that leap from one timer to the next. */
export class VirtualTime {
  private timers: { readonly at: number; readonly order: number; readonly work: () => void }[] = [];
  private order = 0;

  constructor(public now: number) {}

  /** The clock for a service. */
  readonly clock = (): number => this.now;

  /** The timer function for a worker. */
  readonly after = (ms: number, work: () => void): (() => void) => {
    this.order += 1;
    const timer = { at: this.now + ms, order: this.order, work };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  };

  /** Resolves after this many milliseconds. */
  readonly pass = (ms: number): Promise<void> => new Promise((resolve) => this.after(ms, resolve));

  /** Leaps to the next timer whenever nothing else is running, until the end time is reached. */
  async leapTo(end: number, quiet: () => Promise<void>): Promise<void> {
    for (;;) {
      await quiet();
      const next = this.timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined || next.at > end) break;
      this.timers = this.timers.filter((each) => each !== next);
      this.now = next.at;
      next.work();
    }
    this.now = end;
  }
}
