import type { Clock } from "../../src/index.js";
import { FixedWindows } from "../http/rate-limits/fixed-windows.js";

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** Counts the calls of a key in this process, by the minute and by the day. */
export class CallLimit {
  private readonly limits: readonly { calls: number; seconds: number; windows: FixedWindows }[];

  /** @param maxKeys how many keys are counted apart. */
  constructor(clock: Clock, most: { readonly perMinute: number; readonly perDay: number }, maxKeys: number) {
    this.limits = [
      { calls: most.perMinute, seconds: MINUTE_SECONDS, windows: new FixedWindows(clock, maxKeys) },
      { calls: most.perDay, seconds: DAY_SECONDS, windows: new FixedWindows(clock, maxKeys) },
    ];
  }

  /**
   * Counts one call. A call above the limit of a minute does not use up the limit of the day.
   * @returns how many seconds to wait before the call; `null` if it may be made now.
   */
  secondsToWait(key: string): number | null {
    for (const { calls, seconds, windows } of this.limits) {
      const { requests, msLeft } = windows.count(key, seconds);
      if (requests > calls) return Math.max(1, Math.ceil(msLeft / 1_000));
    }
    return null;
  }
}
