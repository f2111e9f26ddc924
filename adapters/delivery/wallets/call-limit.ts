import type { Clock } from "../../../src/index.js";
import { FixedWindows } from "../../http/rate-limits/fixed-windows.js";

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** Limits calls per minute and per day for each key, counting only calls in this process. */
export class CallLimit {
  private readonly limits: readonly { calls: number; seconds: number; windows: FixedWindows }[];

  /**
   * @param most the maximum number of calls per key.
   * @param maxKeys the maximum number of keys to count separately.
   */
  constructor(clock: Clock, most: { readonly perMinute: number; readonly perDay: number }, maxKeys: number) {
    this.limits = [
      { calls: most.perMinute, seconds: MINUTE_SECONDS, windows: new FixedWindows(clock, maxKeys) },
      { calls: most.perDay, seconds: DAY_SECONDS, windows: new FixedWindows(clock, maxKeys) },
    ];
  }

  /**
   * Counts a call. A call that exceeds the limit per minute doesn't count toward the limit per day.
   * @returns the number of seconds to wait, or `null` if the call may be made now.
   */
  secondsToWait(key: string): number | null {
    for (const { calls, seconds, windows } of this.limits) {
      const { requests, msLeft } = windows.count(key, seconds);
      if (requests > calls) return Math.max(1, Math.ceil(msLeft / 1_000));
    }
    return null;
  }
}
