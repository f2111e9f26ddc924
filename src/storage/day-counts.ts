import type { Step } from "../concurrency/step.js";

/** What an organization counts on each day. A number is what the day adds, so it may be negative. */
export interface DayCounts {
  /** Users who came, less those who were deleted. */
  readonly members: number;
  /** Passes that were issued, less those that were revoked. Previews don't count. */
  readonly cards: number;
  readonly stamps: number;
  readonly rewardsEarned: number;
  readonly rewardsRedeemed: number;
  readonly installsApple: number;
  readonly installsGoogle: number;
  /** In wallets of which it is not known whose they are. */
  readonly installsOther: number;
}

/** A day of UTC, in days since the Unix epoch, and what was counted on it. */
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
  /** What was counted from one day to another, both among it, and before. */
  countedDays(organizationId: string, from: number, to: number): Step<CountedDays>;
}

export interface DayCountWrites {
  /** Adds to the numbers of a day. What is not given stays. */
  countOnDay(organizationId: string, day: number, counts: Partial<DayCounts>): Step<void>;
}

export const noCounts: DayCounts = Object.freeze({
  members: 0,
  cards: 0,
  stamps: 0,
  rewardsEarned: 0,
  rewardsRedeemed: 0,
  installsApple: 0,
  installsGoogle: 0,
  installsOther: 0,
});

export function sumOfCounts(counts: DayCounts, more: Partial<DayCounts>): DayCounts {
  return {
    members: counts.members + (more.members ?? 0),
    cards: counts.cards + (more.cards ?? 0),
    stamps: counts.stamps + (more.stamps ?? 0),
    rewardsEarned: counts.rewardsEarned + (more.rewardsEarned ?? 0),
    rewardsRedeemed: counts.rewardsRedeemed + (more.rewardsRedeemed ?? 0),
    installsApple: counts.installsApple + (more.installsApple ?? 0),
    installsGoogle: counts.installsGoogle + (more.installsGoogle ?? 0),
    installsOther: counts.installsOther + (more.installsOther ?? 0),
  };
}
