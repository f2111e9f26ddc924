import { type Clock, DAY_MS } from "../values/clock.js";

/**
 * A clock that knows whether it jumped. Time that it is ahead of would write what can't be taken back, so after a jump of more
 * than a day forward it is refused: until it is back, or somebody accepts it.
 */
export class SteadyClock {
  #wall = Number.NaN;
  #monotonic = Number.NaN;
  #isRefused = false;

  /** @param monotonic passes as time does, whatever the clock is set to; it stands still where the clock alone tells the time. */
  constructor(
    private readonly clock: Clock,
    private readonly monotonic: Clock,
  ) {}

  /** Reads the clock. Each reading is compared with the one before it. */
  readonly now: Clock = () => {
    const wall = this.clock();
    const monotonic = this.monotonic();
    const isJump = wall - this.#wall - (monotonic - this.#monotonic) > DAY_MS;
    this.#isRefused = isJump;
    if (!isJump) {
      this.#wall = wall;
      this.#monotonic = monotonic;
    }
    return wall;
  };

  /** True while the clock is more than a day ahead of where its last accepted reading says that it is. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Takes the clock as it is. */
  accept(): void {
    this.#wall = Number.NaN;
    this.now();
  }
}
