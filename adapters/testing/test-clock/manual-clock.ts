import { DAY_MS } from "../../../src/base/values/clock.js";
import type { DueTimeFinder, DueWork } from "./next-due-time.js";

/** Maximum number of due instants per move: more than any test needs, and few enough to finish quickly. */
const MAX_STOPS = 100_000;

/** Maximum number of rounds of work at one instant, in case work leads to further work. */
const MAX_ROUNDS = 100;

/** A clock that stands still until a test moves it. As the clock advances, it runs all work that becomes due along the way. */
export class ManualClock {
  private isMoving = false;

  /** @param sweep a function that does the work due at midnight, for every midnight that has passed since its last call. */
  constructor(
    private at: number,
    private readonly dueTimes: Pick<DueTimeFinder, "next">,
    private readonly kinds: readonly DueWork[],
    private readonly sweep: () => Promise<unknown>,
  ) {}

  /** The clock function to pass to a service. */
  readonly read = (): number => this.at;

  /**
   * Moves the clock to an instant. Whenever work becomes due along the way, the clock stops until that work is done.
   * @throws {RangeError} if the instant is in the past.
   * @throws {Error} if the clock is already moving, or if new work keeps becoming due indefinitely.
   */
  async moveTo(instant: number): Promise<void> {
    if (instant < this.at) throw new RangeError("a test clock can't move backward");
    if (this.isMoving)
      throw new Error("the test clock is already moving: await each call to advance, advanceTo and runDue");
    this.isMoving = true;
    try {
      await this.runDue();
      for (let stops = 0; this.at < instant; stops += 1) {
        if (stops === MAX_STOPS)
          throw new Error(`more than ${MAX_STOPS} due times were reached while moving the clock`);
        // A service rejects a clock for segments if it jumps by more than a day.
        this.at = await this.dueTimes.next(this.at, Math.min(instant, this.at + DAY_MS));
        await this.runDue();
      }
    } finally {
      this.isMoving = false;
    }
  }

  private async runDue(): Promise<void> {
    await this.sweep();
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds += 1) if (!(await this.runWorkOnce())) return;
    throw new Error(`at ${new Date(this.at).toISOString()}, work is still due after ${MAX_ROUNDS} rounds`);
  }

  /**
   * Does the due work of each kind once.
   * @returns whether there was any.
   */
  private async runWorkOnce(): Promise<boolean> {
    let hadWork = false;
    for (const kind of this.kinds) {
      if ((await kind.count(this.at)) === 0) continue;
      hadWork = true;
      await kind.runDue();
    }
    return hadWork;
  }
}
