/** Milliseconds since the Unix epoch. Expiry, timestamps and tests all use the one that the host injects. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

export const DAY_MS = 86_400_000;

/** The day that was written last: most timestamps of an answer are of few days. */
let written = { day: Number.NaN, date: "" };

/**
 * ISO 8601 in UTC with milliseconds, as every timestamp of the interface. It writes what `Date` would in a quarter
 * of the time, which counts where a page has dozens of them.
 */
export function timestamp(ms: number): string {
  const day = Math.floor(ms / DAY_MS);
  if (day !== written.day) {
    const [date = ""] = new Date(ms).toISOString().split("T");
    written = { day, date };
  }
  const inDay = ms - day * DAY_MS;
  const seconds = Math.floor(inDay / 1_000);
  const minutes = Math.floor(seconds / 60);
  const time = `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
  return `${written.date}T${time}.${three(inDay % 1_000)}Z`;
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

function three(value: number): string {
  return value < 100 ? `0${two(value)}` : `${value}`;
}

/** Returns the creation and update times of a row in wire format. If they are equal, they are formatted once. */
export function timesOf(row: { createdAt: number; updatedAt: number }): {
  createdAt: string;
  updatedAt: string;
} {
  const createdAt = timestamp(row.createdAt);
  return { createdAt, updatedAt: row.updatedAt === row.createdAt ? createdAt : timestamp(row.updatedAt) };
}

/** A time that there need not be. */
export function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}

/** The `updatedAt` of a real change: strictly later than the previous one, even within one millisecond. */
export function nextUpdatedAt(previous: number, now: number): number {
  return Math.max(now, previous + 1);
}

/** The day of UTC of a time, in days since the Unix epoch. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** @param date as `YYYY-MM-DD`. */
export function dayOfDate(date: string): number {
  return dayOf(Date.parse(date));
}

/** A day as `YYYY-MM-DD`. */
export function dateOf(day: number): string {
  return timestamp(day * DAY_MS).slice(0, 10);
}

/**
 * A clock that detects jumps. A clock that is ahead would write times that can't be undone, so a jump of more than a day forward is
 * refused until the clock is back, or an operator accepts it.
 */
export class JumpDetectingClock {
  #wall = Number.NaN;
  #monotonic = Number.NaN;
  #isRefused = false;

  /** @param monotonic passes as time does, whatever the clock is set to; it stands still where the clock alone tells the time. */
  constructor(
    private readonly clock: Clock,
    private readonly monotonic: Clock,
  ) {}

  /** Reads the clock, and compares it with the previous reading. */
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

  /** Reads the clock. While it is refused, returns the time that has passed since its last accepted reading. */
  trusted(): number {
    const wall = this.now();
    return this.#isRefused ? this.#wall + this.monotonic() - this.#monotonic : wall;
  }

  /** True while the clock is more than a day ahead of where its last accepted reading says that it is. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Takes the clock as it is. */
  acceptJump(): void {
    this.#wall = Number.NaN;
    this.now();
  }
}
