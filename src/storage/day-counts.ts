import type { Step } from "../concurrency/step.js";
import { integer, type ValuesOf } from "./record.js";

/** The counts of an organization's day. Each number is what the day adds, so it may be negative. */
export const countColumns = {
  /** Users who came, less those who were deleted. */
  members: integer(),
  /** Passes that were issued, less those that were revoked. Previews don't count. */
  cards: integer(),
  stamps: integer(),
  rewardsEarned: integer(),
  rewardsRedeemed: integer(),
  installsApple: integer(),
  installsGoogle: integer(),
  /** In wallets of which it is not known whose they are. */
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

export type DayCounts = ValuesOf<typeof countColumns>;

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
  countedDays(organizationId: string, from: number, to: number): Step<CountedDays>;
}

export interface DayCountWrites {
  /**
   * Adds to the numbers of the day that an instant is on, by the zone in the organization's settings, or by UTC without any. What
   * is not given stays.
   */
  countAt(organizationId: string, at: number, counts: Partial<DayCounts>): Step<void>;
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
  emailsAccepted: 0,
  emailsFailed: 0,
  walletMessages: 0,
  unsubscribed: 0,
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
    emailsAccepted: counts.emailsAccepted + (more.emailsAccepted ?? 0),
    emailsFailed: counts.emailsFailed + (more.emailsFailed ?? 0),
    walletMessages: counts.walletMessages + (more.walletMessages ?? 0),
    unsubscribed: counts.unsubscribed + (more.unsubscribed ?? 0),
  };
}
