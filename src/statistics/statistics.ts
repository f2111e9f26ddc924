import { parse } from "../base/parse.js";
import { dayIn } from "../base/values/calendar-days.js";
import { dateOf } from "../base/values/clock.js";
import { UseCases } from "../kernel/use-cases.js";
import { zoneOf } from "../settings/schema.js";
import {
  addDayCounts,
  type CountedDay,
  type DayCounts,
  emptyDayCounts,
  hourNames,
} from "../storage/day-counts.js";
import { readOutstandingPoints } from "./outstanding-points.js";
import {
  type OutstandingPoints,
  resolveRange,
  type StatisticsQuery,
  type StatisticsReport,
  statisticsQuerySchema,
} from "./schema.js";

/** Reads an organization's daily statistics. */
export class Statistics extends UseCases {
  /**
   * Returns an organization's daily statistics and their totals. The numbers come from counters that are updated in the same
   * transactions as the data they count. They are therefore always exact, and reading them takes the same time no matter how many
   * users there are. Days are in the organization's time zone. When the time zone changes, existing counts stay on their days.
   * @param query either `from` and `to`, as `YYYY-MM-DD`, both inclusive and covering at most 1,100 days, or `days` for the most
   *   recent days, including today. Default: the last 30 days.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `statistics:read`.
   */
  async get(query: StatisticsQuery = {}): Promise<StatisticsReport> {
    const statisticsQuery = parse(statisticsQuerySchema, query);
    const { tenant } = this;
    const now = tenant.now();
    const { from, to, before, days } = await tenant.read(function* (reader) {
      const range = resolveRange(statisticsQuery, dayIn(zoneOf(yield* reader.findSettings()), now));
      return { ...range, ...(yield* reader.readDayCounts(range.from, range.to)) };
    });
    const countsByDay = new Map(days.map((day) => [day.day, day]));
    let until = before;
    const reportDays: StatisticsReport["days"] = [];
    for (let day = from; day <= to; day += 1) {
      const counts = countsByDay.get(day) ?? emptyDayCounts;
      until = addDayCounts(until, counts);
      reportDays.push({ date: dateOf(day), ...numbersOf(until, counts) });
    }
    const all = days.reduce(addDayCounts, emptyDayCounts);
    return {
      object: "statistics",
      from: dateOf(from),
      to: dateOf(to),
      ...numbersOf(until, all),
      visitsByHour: visitsByHour(days),
      days: reportDays,
    };
  }

  /**
   * Returns the points on all passes at this moment, by the month in which they are last usable. The result equals the sum of the
   * points of all passes. Points that have expired are never included.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `statistics:read`.
   * @example
   * const { available, debt, months } = await acme.statistics.points();
   */
  async points(): Promise<OutstandingPoints> {
    const { tenant } = this;
    return tenant.read((reader) => readOutstandingPoints(reader, tenant.now()), true);
  }
}

/** Returns the number of visits per hour for each weekday, starting with Monday. */
function visitsByHour(days: readonly CountedDay[]): number[][] {
  return Array.from({ length: 7 }, (_, weekday) => {
    const counts = days.filter(({ day }) => weekdayOf(day) === weekday).reduce(addDayCounts, emptyDayCounts);
    return hourNames.map((name) => counts[name]);
  });
}

/** Returns the weekday, with Monday as 0. The Unix epoch began on a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/**
 * Returns the numbers to report for one day or for a longer period.
 * @param until the totals at the end of the period.
 * @param counts the counts within the period.
 */
export function numbersOf(until: DayCounts, counts: DayCounts) {
  return {
    customers: until.members,
    activeCards: until.cards,
    stamps: counts.stamps,
    rewardsEarned: counts.rewardsEarned,
    rewardsRedeemed: counts.rewardsRedeemed,
    pointsGiven: counts.pointsGiven,
    pointsSpent: counts.pointsSpent,
    pointsExpired: counts.pointsExpired,
    installs: {
      apple: counts.installsApple,
      google: counts.installsGoogle,
      other: counts.installsOther,
    },
    emailsAccepted: counts.emailsAccepted,
    emailsFailed: counts.emailsFailed,
    walletMessages: counts.walletMessages,
    unsubscribed: counts.unsubscribed,
  };
}
