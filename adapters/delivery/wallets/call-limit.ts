import type { Clock } from "../../../src/index.js";
import { FixedWindows } from "../../http/rate-limits/fixed-windows.js";

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** Limits the calls per minute and per day for each key. Counts only calls in this process. */
export class CallLimit {
  private readonly limits: readonly { calls: number; seconds: number; windows: FixedWindows }[];

  /**
   * @param maxCalls the maximum number of calls per key, per minute and per day.
   * @param maxKeys the maximum number of keys to track.
   */
  constructor(
    clock: Clock,
    maxCalls: { readonly perMinute: number; readonly perDay: number },
    maxKeys: number,
  ) {
    this.limits = [
      { calls: maxCalls.perMinute, seconds: MINUTE_SECONDS, windows: new FixedWindows(clock, maxKeys) },
      { calls: maxCalls.perDay, seconds: DAY_SECONDS, windows: new FixedWindows(clock, maxKeys) },
    ];
  }

  /**
   * Counts a call. A call that exceeds the per-minute limit doesn't count toward the daily limit.
   * @returns `null` if the call is allowed, or the number of seconds to wait before trying again.
   */
  countCall(key: string): number | null {
    for (const { calls, seconds, windows } of this.limits) {
      const { requests, msLeft } = windows.count(key, seconds);
      if (requests > calls) return Math.max(1, Math.ceil(msLeft / 1_000));
    }
    return null;
  }
}
