import { DAY_MS } from "../../../src/values/clock.js";
import type { DueTimeFinder, DueWork } from "./next-due-time.js";

/** More instants at which something is due than any test has, and fewer than would take for ever. */
const MOST_STOPS = 100_000;

/** The most rounds of work at one instant, if work leads to further work. */
const MOST_ROUNDS = 100;

/** A clock that stands still until it is moved, and does on the way what falls due. */
export class ManualClock {
  private isMoving = false;

  /** @param sweep settles the midnight that it may be now. */
  constructor(
    private at: number,
    private readonly due: Pick<DueTimeFinder, "next">,
    private readonly kinds: readonly DueWork[],
    private readonly sweep: () => Promise<unknown>,
  ) {}

  /** The clock that a service is given. */
  readonly read = (): number => this.at;

  /**
   * Moves on to an instant, from one instant at which something is due to the next, and does all that is due at each of them.
   * @throws {RangeError} if the instant is over; {Error} when it is moving already, or the work does not come to an end.
   */
  async moveTo(instant: number): Promise<void> {
    if (instant < this.at) throw new RangeError("a test clock can't go back");
    if (this.isMoving)
      throw new Error("the test clock is moving: await advance, advanceTo and settle one after the other");
    this.isMoving = true;
    try {
      await this.runDue();
      for (let stops = 0; this.at < instant; stops += 1) {
        if (stops === MOST_STOPS)
          throw new Error(`something was due at more than ${MOST_STOPS} instants on the way`);
        // A service refuses for segments a clock that jumps by more than a day.
        this.at = await this.due.next(this.at, Math.min(instant, this.at + DAY_MS));
        await this.runDue();
      }
    } finally {
      this.isMoving = false;
    }
  }

  private async runDue(): Promise<void> {
    await this.sweep();
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) if (!(await this.workOnce())) return;
    throw new Error(
      `at ${new Date(this.at).toISOString()}, there is work left after ${MOST_ROUNDS} rounds of it`,
    );
  }

  /** Does the due work of each kind. @returns whether there was any. */
  private async workOnce(): Promise<boolean> {
    let hadWork = false;
    for (const kind of this.kinds) {
      if ((await kind.count(this.at)) === 0) continue;
      hadWork = true;
      await kind.work();
    }
    return hadWork;
  }
}
