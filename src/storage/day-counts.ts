import type { Step } from "../base/concurrency/step.js";
import { integer, type ValuesOf } from "./record.js";

const dayColumns = {
  /** Number of new users, minus deleted users. */
  members: integer(),
  /** Number of issued passes, minus revoked passes. Previews don't count. */
  cards: integer(),
  /** Number of added stamps, minus stamps from additions that were reversed. */
  stamps: integer(),
  /** Number of rewards earned by filling a card or granted directly, minus reversed ones. */
  rewardsEarned: integer(),
  /** Number of rewards that were redeemed, minus redemptions that were reversed. */
  rewardsRedeemed: integer(),
  /** Number of points that were given, minus points that were taken back, and reversals of both. */
  pointsGiven: integer(),
  /** Number of points that were spent, minus points from spends that were reversed. */
  pointsSpent: integer(),
  /** Number of points that expired at the end of the day. */
  pointsExpired: integer(),
  /** Number of times that a pass was installed in Apple Wallet. */
  installsApple: integer(),
  /** Number of times that a pass was installed in Google Wallet. */
  installsGoogle: integer(),
  /** Installations in a wallet on an unknown platform. */
  installsOther: integer(),
  /** Emails of any kind that a mail server accepted. */
  emailsAccepted: integer(),
  /** Emails that failed permanently or bounced later. */
  emailsFailed: integer(),
  /** Messages delivered to a wallet. */
  walletMessages: integer(),
  /** Number of times that a customer unsubscribed from a channel. Each channel counts separately. */
  unsubscribed: integer(),
};

/**
 * Columns that hold the visit count for each hour of the day, in the organization's time zone. Several stamps added at the same
 * time count as one visit.
 */
export const hourColumns = {
  /** Number of visits from 0:00 to 0:59. */
  visitsAt0: integer(),
  /** Number of visits from 1:00 to 1:59. */
  visitsAt1: integer(),
  /** Number of visits from 2:00 to 2:59. */
  visitsAt2: integer(),
  /** Number of visits from 3:00 to 3:59. */
  visitsAt3: integer(),
  /** Number of visits from 4:00 to 4:59. */
  visitsAt4: integer(),
  /** Number of visits from 5:00 to 5:59. */
  visitsAt5: integer(),
  /** Number of visits from 6:00 to 6:59. */
  visitsAt6: integer(),
  /** Number of visits from 7:00 to 7:59. */
  visitsAt7: integer(),
  /** Number of visits from 8:00 to 8:59. */
  visitsAt8: integer(),
  /** Number of visits from 9:00 to 9:59. */
  visitsAt9: integer(),
  /** Number of visits from 10:00 to 10:59. */
  visitsAt10: integer(),
  /** Number of visits from 11:00 to 11:59. */
  visitsAt11: integer(),
  /** Number of visits from 12:00 to 12:59. */
  visitsAt12: integer(),
  /** Number of visits from 13:00 to 13:59. */
  visitsAt13: integer(),
  /** Number of visits from 14:00 to 14:59. */
  visitsAt14: integer(),
  /** Number of visits from 15:00 to 15:59. */
  visitsAt15: integer(),
  /** Number of visits from 16:00 to 16:59. */
  visitsAt16: integer(),
  /** Number of visits from 17:00 to 17:59. */
  visitsAt17: integer(),
  /** Number of visits from 18:00 to 18:59. */
  visitsAt18: integer(),
  /** Number of visits from 19:00 to 19:59. */
  visitsAt19: integer(),
  /** Number of visits from 20:00 to 20:59. */
  visitsAt20: integer(),
  /** Number of visits from 21:00 to 21:59. */
  visitsAt21: integer(),
  /** Number of visits from 22:00 to 22:59. */
  visitsAt22: integer(),
  /** Number of visits from 23:00 to 23:59. */
  visitsAt23: integer(),
};

export type HourCounts = ValuesOf<typeof hourColumns>;

/** The names of the columns, indexed by hour from 0 to 23. */
export const hourNames = Object.keys(hourColumns) as readonly (keyof HourCounts)[];

/** Columns that hold an organization's counts for one day. Each number is the change on that day, so it can be negative. */
export const countColumns = { ...dayColumns, ...hourColumns };

export type DayCounts = ValuesOf<typeof countColumns>;

/** The amounts that one event adds to the statistics for its day. */
export interface MomentCounts extends ValuesOf<typeof dayColumns> {
  /** Number of visits to add to the count for the event's hour. */
  readonly visits: number;
}

/** The counts for one day. `day` is in the organization's calendar, as days since the Unix epoch. */
export interface CountedDay extends DayCounts {
  /** The day in the organization's calendar, as days since the Unix epoch. */
  readonly day: number;
}

/** The counts for a range of days, and the totals for all days before the range. */
export interface CountedDays {
  /** The total for each count over all days before the range. */
  readonly before: DayCounts;
  /** The days that have counts, in ascending order. Days without counts are omitted. */
  readonly days: readonly CountedDay[];
}

export interface DayCountReads {
  /** Returns the counts for the days from `from` through `to`, and the totals for all days before `from`. */
  readDayCounts(from: number, to: number): Step<CountedDays>;
}

export interface DayCountWrites {
  /**
   * Adds to the counts for the day and hour that contain the time `at`, in the organization's time zone (default: UTC). Omitted
   * counts don't change.
   * @param haveEvents whether the transaction also appends events for the counted changes. Default: `true`.
   */
  addCounts(at: number, counts: Partial<MomentCounts>, haveEvents?: boolean): Step<void>;
}

export const emptyDayCounts: DayCounts = Object.freeze(createZeros(countColumns));

export const emptyMomentCounts: MomentCounts = Object.freeze({ ...createZeros(dayColumns), visits: 0 });

const countNames = Object.keys(emptyDayCounts) as readonly (keyof DayCounts)[];

/** Adds two sets of counts. A count that is missing from `addend` is treated as 0. */
export function addDayCounts(counts: DayCounts, addend: Partial<DayCounts>): DayCounts {
  const sums = countNames.map((name) => [name, addend[name] ?? 0] as const);
  return addPartialCounts(counts, Object.fromEntries(sums));
}

/**
 * Adds two sets of partial counts. A count that is missing from one set is treated as 0. A count that is missing from both is
 * omitted from the result.
 */
export function addPartialCounts<Counts extends object>(
  counts: Counts,
  addend: Partial<NoInfer<Counts>>,
): Counts;
export function addPartialCounts(counts: Numbers, addend: Numbers): Numbers {
  const sum: Record<string, number | undefined> = { ...counts };
  for (const name of Object.keys(addend)) sum[name] = (sum[name] ?? 0) + (addend[name] ?? 0);
  return sum;
}

type Numbers = Readonly<Record<string, number | undefined>>;

/**
 * Converts one event's counts to counts for a day. Its visits are counted in the column for the event's hour.
 * @param hour the hour in which the event happened, in local time, from 0 to 23.
 */
export function withHour(counts: Partial<MomentCounts>, hour: number): Partial<DayCounts> {
  const { visits = 0 } = counts;
  // This runs for each change that counts something, and copying with a rest pattern is slow.
  const atDay: { -readonly [Name in keyof DayCounts]?: number } = {};
  const visitsAt = hourNames[hour];
  if (visits !== 0 && visitsAt !== undefined) atDay[visitsAt] = visits;
  for (const name of dayNames) {
    const number = counts[name];
    if (number !== undefined) atDay[name] = number;
  }
  return atDay;
}

const dayNames = Object.keys(dayColumns) as readonly (keyof typeof dayColumns)[];

function createZeros<Own extends object>(columns: Own): { readonly [Name in keyof Own]: number };
function createZeros(columns: object): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, 0]));
}
