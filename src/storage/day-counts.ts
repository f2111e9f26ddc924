import type { Step } from "../concurrency/step.js";
import { hourColumns, hourNames } from "./hour-counts.js";
import { integer, type ValuesOf } from "./record.js";

const dayColumns = {
  /** Users who came, less those who were deleted. */
  members: integer(),
  /** Passes that were issued, less those that were revoked. Previews don't count. */
  cards: integer(),
  stamps: integer(),
  rewardsEarned: integer(),
  rewardsRedeemed: integer(),
  installsApple: integer(),
  installsGoogle: integer(),
  /** In wallets of unknown platform. */
  installsOther: integer(),
  /** Mails that a mail server took, of whatever kind. */
  emailsAccepted: integer(),
  /** Mails that failed for good, and those that came back later. */
  emailsFailed: integer(),
  /** Messages that a wallet has. */
  walletMessages: integer(),
  /** Customers who ended messages on a channel; each channel counts. */
  unsubscribed: integer(),
};

/** The counts of an organization's day. Each number is what the day adds, so it may be negative. */
export const countColumns = { ...dayColumns, ...hourColumns };

export type DayCounts = ValuesOf<typeof countColumns>;

/** The counts that one moment adds to its day. */
export interface MomentCounts extends ValuesOf<typeof dayColumns> {
  /** Added to the number of the hour. */
  readonly visits: number;
}

/** A day of the organization's calendar, in days since the Unix epoch, and what was counted on it. */
export interface CountedDay extends DayCounts {
  readonly day: number;
}

/** Some days that follow each other, without those on which nothing was counted. */
export interface CountedDays {
  /** The sums of all days before. */
  readonly before: DayCounts;
  /** Ascending. */
  readonly days: readonly CountedDay[];
}

export interface DayCountReads {
  /** Returns the counts of the days from `from` to `to`, both included, and their sum before `from`. */
  readDayCounts(organizationId: string, from: number, to: number): Step<CountedDays>;
}

export interface DayCountWrites {
  /**
   * Adds to the counts of the day that contains an instant, and to the visits of its hour, in the time zone of the organization's
   * settings (default: UTC). Omitted counts stay.
   * @param haveEvents false if the change appends no events for these counts. Default: true.
   */
  addCounts(
    organizationId: string,
    at: number,
    counts: Partial<MomentCounts>,
    haveEvents?: boolean,
  ): Step<void>;
}

export const emptyDayCounts: DayCounts = Object.freeze(createZeros(countColumns));

export const emptyMomentCounts: MomentCounts = Object.freeze({ ...createZeros(dayColumns), visits: 0 });

const countNames = Object.keys(emptyDayCounts) as readonly (keyof DayCounts)[];

/** The sum of the numbers of two days. */
export function addDayCounts(counts: DayCounts, more: Partial<DayCounts>): DayCounts {
  const added = countNames.map((name) => [name, more[name] ?? 0] as const);
  return addPartialCounts(counts, Object.fromEntries(added));
}

/** Adds numbers to others of the same kind. What neither has is left out of the sum, where it is 0. */
export function addPartialCounts<Counts extends object>(
  counts: Counts,
  more: Partial<NoInfer<Counts>>,
): Counts;
export function addPartialCounts(counts: Numbers, more: Numbers): Numbers {
  const sum: Record<string, number | undefined> = { ...counts };
  for (const name of Object.keys(more)) sum[name] = (sum[name] ?? 0) + (more[name] ?? 0);
  return sum;
}

type Numbers = Readonly<Record<string, number | undefined>>;

/** The numbers of a moment as its day keeps them. @param hour what the clocks show, from 0 to 23. */
export function withHour(counts: Partial<MomentCounts>, hour: number): Partial<DayCounts> {
  const { visits = 0 } = counts;
  // Each change counts something, and a copy of the others by a rest pattern is slow.
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
