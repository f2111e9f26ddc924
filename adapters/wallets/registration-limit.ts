import type { Clock } from "../../src/index.js";
import { FixedWindows } from "../http/rate-limits/fixed-windows.js";

/** How often devices may say of one pass that they have it, or have it no more, and for how long that is counted. */
const limits = [
  { calls: 100, seconds: 60 },
  { calls: 1_000, seconds: 86_400 },
] as const;

/** How many passes are counted apart. */
const MAX_PASSES = 100_000;

/** How often the devices of one pass may register, in this process: each time is a write, and costs whoever has the pass nothing. */
export class RegistrationLimit {
  private readonly windows: readonly FixedWindows[];

  constructor(clock: Clock) {
    this.windows = limits.map(() => new FixedWindows(clock, MAX_PASSES));
  }

  /** Counts one call. @returns how many seconds to wait before it may be made; `null` when it may be made now. */
  secondsToWait(passId: string): number | null {
    for (const [at, { calls, seconds }] of limits.entries()) {
      const counted = this.windows[at]?.count(passId, seconds);
      if (counted !== undefined && counted.requests > calls)
        return Math.max(1, Math.ceil(counted.msLeft / 1_000));
    }
    return null;
  }
}
