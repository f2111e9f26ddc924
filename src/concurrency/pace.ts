/** How long work may go on before the host's event loop gets a turn, in milliseconds. */
const LONGEST_RUN = 10;

/** A piece of work in many small steps, on the event loop that the host shares. */
export class Pace {
  #since = performance.now();

  /** True when the work has gone on for 10 ms without a {@link turn}. */
  get isTurnDue(): boolean {
    return performance.now() - this.#since > LONGEST_RUN;
  }

  /** Lets everything else that waits have its turn. */
  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
