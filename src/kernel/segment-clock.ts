import { type JumpDetectingClock, timestamp } from "../base/values/clock.js";
import type { ErrorListener } from "./events/event-emitter.js";

/**
 * Determines which midnights have passed, so that segments can be re-evaluated for each new day. After the clock jumps ahead, no
 * midnight counts as passed until the clock is corrected or the jump is accepted.
 */
export class SegmentClock {
  #isReported = false;

  constructor(
    private readonly clock: JumpDetectingClock,
    private readonly onError: ErrorListener,
  ) {}

  /** Whether the clock has jumped ahead and the jump hasn't been accepted yet. Reads the clock on each access. */
  get isRejected(): boolean {
    this.clock.now();
    return this.clock.isRefused;
  }

  /** The current time. Until a jump is accepted, this is the time as if the clock hadn't jumped. */
  get trusted(): number {
    return this.clock.trusted();
  }

  /**
   * Returns whether an organization's next midnight has passed. If the clock has jumped ahead but that midnight is still in the
   * future, another process has already evaluated the midnights in between, so this call accepts the jump.
   */
  hasPassed(nextMidnight: number): boolean {
    const now = this.clock.now();
    if (this.clock.isRefused && nextMidnight > now) this.accept();
    return !this.clock.isRefused && nextMidnight <= now;
  }

  /** Passes a {@link ClockJumpError} to the error listener if the clock has jumped ahead, at most once per jump. */
  report(): void {
    const now = this.clock.now();
    if (this.clock.isRefused && !this.#isReported) this.onError(new ClockJumpError(now));
    this.#isReported = this.clock.isRefused;
  }

  /** Accepts the clock's current time despite the jump, so that the evaluation of midnights resumes. */
  accept(): void {
    this.clock.acceptJump();
  }
}

/** The error reported when the clock jumps ahead by more than a day while the process is running. */
export class ClockJumpError extends Error {
  override readonly name = "ClockJumpError";

  constructor(now: number) {
    super(
      `the clock jumped to ${timestamp(now)}, more than a day ahead: segments aren't updated until the clock is corrected, ` +
        "or until you accept it with loyalty-kit segment refresh --accept-clock",
    );
  }
}
