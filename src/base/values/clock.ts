/**
 * Returns the current time in milliseconds since the Unix epoch. The host injects a single clock for expiry and timestamps, which
 * lets tests control the time.
 */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The most recently formatted day. Most timestamps in a response fall on a few days. */
let cachedDate = { day: Number.NaN, date: "" };

/**
 * Formats a time as ISO 8601 in UTC with milliseconds, like every timestamp in the API. Returns the same string as
 * `Date.toISOString()` in a quarter of the time, which matters on pages with dozens of timestamps.
 */
export function timestamp(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== cachedDate.day) {
    const [date = ""] = new Date(ms).toISOString().split("T");
    cachedDate = { day, date };
  }
  const inDay = ms - day * DAY_MS;
  const seconds = Math.floor(inDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const time = `${padTwo(Math.floor(minutes / 60))}:${padTwo(minutes % 60)}:${padTwo(seconds % 60)}`;
  return `${cachedDate.date}T${time}.${padThree(inDay % 1_000)}Z`;
}

function padTwo(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

function padThree(value: number): string {
  return value < 100 ? `0${padTwo(value)}` : `${value}`;
}

/** Returns a row's creation and update times as the timestamps that the API sends. Formats them only once if they are equal. */
export function timesOf(row: { createdAt: number; updatedAt: number }): {
  createdAt: string;
  updatedAt: string;
} {
  const createdAt = timestamp(row.createdAt);
  return { createdAt, updatedAt: row.updatedAt === row.createdAt ? createdAt : timestamp(row.updatedAt) };
}

/** Formats a time as a {@link timestamp}, or returns `null` for `null`. */
export function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}

/**
 * Returns the `updatedAt` for a row that has changed. It is always later than the previous value, even if both changes happen
 * within the same millisecond.
 */
export function nextUpdatedAt(previous: number, now: number): number {
  return Math.max(now, previous + 1);
}

/** Returns the UTC day on which a time falls, in days since the Unix epoch. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/**
 * Converts a calendar date to the number of days since the Unix epoch.
 * @param date a calendar date in the form `YYYY-MM-DD`.
 */
export function dayOfDate(date: string): number {
  return dayOf(Date.parse(date));
}

/** Formats a day, given in days since the Unix epoch, as `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return timestamp(day * DAY_MS).slice(0, 10);
}

/**
 * A clock that detects jumps. Timestamps written while the clock is ahead can't be undone, so after a forward jump of more than a
 * day, the clock isn't trusted until it is set back or an operator accepts the jump.
 */
export class JumpDetectingClock {
  #wallTime = Number.NaN;
  #monotonic = Number.NaN;
  #isRefused = false;

  /**
   * @param monotonic a clock that advances steadily even if the wall clock is changed. If the wall clock is the only source of
   *   time, `monotonic` can return a constant.
   */
  constructor(
    private readonly clock: Clock,
    private readonly monotonic: Clock,
  ) {}

  /**
   * Returns the wall clock's time, even if the clock isn't trusted, and checks whether the clock has jumped since the last
   * trusted reading.
   */
  readonly now: Clock = () => {
    const wallTime = this.clock();
    const monotonic = this.monotonic();
    const isJump = wallTime - this.#wallTime - (monotonic - this.#monotonic) > DAY_MS;
    this.#isRefused = isJump;
    if (!isJump) {
      this.#wallTime = wallTime;
      this.#monotonic = monotonic;
    }
    return wallTime;
  };

  /**
   * Returns the wall clock's time. While the clock isn't trusted, returns the last trusted reading plus the time elapsed since
   * then.
   */
  trusted(): number {
    const wallTime = this.now();
    return this.#isRefused ? this.#wallTime + this.monotonic() - this.#monotonic : wallTime;
  }

  /**
   * Whether the clock isn't trusted, because the last reading was more than a day later than expected from the last trusted
   * reading.
   */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Treats the wall clock's current time as correct from now on, even if the clock has just jumped. */
  acceptJump(): void {
    this.#wallTime = Number.NaN;
    this.now();
  }
}
