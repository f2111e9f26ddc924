import * as z from "zod";
import { wireTimestamp } from "../base/fields/text.js";
import { onAnyObject } from "../base/parse.js";
import { dayOfDate } from "../base/values/clock.js";

/** Maximum number of days per report: a little more than three years. */
const MAX_DAYS = 1_100;

const count = z.int();

const counts = {
  customers: count,
  activeCards: count,
  stamps: count,
  rewardsEarned: count,
  rewardsRedeemed: count,
  pointsGiven: count,
  pointsSpent: count,
  pointsExpired: count,
  installs: z.object({ apple: count, google: count, other: count }),
  emailsAccepted: count,
  emailsFailed: count,
  walletMessages: count,
  unsubscribed: count,
};

/** The schema for one day's statistics. The date is in the organization's time zone. */
export const dayStatisticsSchema = z.object({ date: z.iso.date(), ...counts });

export const statisticsSchema = z
  .object({
    object: z.literal("statistics"),
    from: z.iso.date(),
    to: z.iso.date(),
    ...counts,
    visitsByHour: z.array(z.array(count).length(24)).length(7),
    days: z.array(dayStatisticsSchema),
  })
  .meta({ id: "Statistics" });

/**
 * Daily statistics, in the organization's time zone.
 *
 * `customers` (users) and `activeCards` (passes that are neither revoked nor previews) are the numbers at the end of the day. Their
 * totals are the last day's numbers. All other numbers count events on that day, or on all days for the totals. `emailsAccepted`
 * counts emails of all kinds that a mail server accepted. `emailsFailed` counts emails that failed permanently or bounced.
 * `walletMessages` counts messages that reached a wallet. `unsubscribed` counts each channel that a customer unsubscribed from.
 *
 * `pointsGiven` counts points that were earned or added, minus points that were returned or removed. `pointsSpent` is net of
 * reversals. Both count on the day on which an entry is recorded, even if its purchase was earlier. `pointsExpired` counts on the
 * last day on which the points were usable.
 *
 * `visitsByHour` counts the visits on all days, minus reversed ones, by weekday (starting with Monday) and by hour (0 to 23).
 * Imported data isn't counted.
 */
export type StatisticsReport = z.output<typeof statisticsSchema>;

const pointTotals = {
  available: count,
  pending: count,
  held: count,
  debt: count,
  months: z.array(
    z.object({
      month: z
        .string()
        .regex(/^\d{4}-\d{2}$/)
        .nullable(),
      points: count,
    }),
  ),
};

export const outstandingPointsSchema = z
  .object({
    object: z.literal("outstanding_points"),
    at: wireTimestamp,
    ...pointTotals,
    templates: z.array(z.object({ templateId: z.string(), ...pointTotals })),
  })
  .meta({ id: "OutstandingPoints" });

/**
 * The points on all passes at the time of the call, in total and for each template that has points on its passes.
 *
 * `months` adds up the points by the month in which they are last usable, in the organization's time zone, in ascending order. The
 * month is `null` for points that never expire. All months together are `available + pending + held`.
 */
export type OutstandingPoints = z.output<typeof outstandingPointsSchema>;

const date = z.iso.date({ error: "must be a date in the form YYYY-MM-DD" });

function isDate(value: string | undefined): value is string {
  return date.safeParse(value).success;
}

export const statisticsQuerySchema = z
  .object({ from: date.optional(), to: date.optional(), days: z.int().min(1).max(MAX_DAYS).optional() })
  .superRefine(({ from, to, days }, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (days !== undefined && (from ?? to) !== undefined)
      complain("days", "can't be combined with from and to");
    else if (from !== undefined && to === undefined) complain("to", "is required with from");
    else if (from === undefined && to !== undefined) complain("from", "is required with to");
  }, onAnyObject)
  .superRefine(({ from, to }, context) => {
    if (!isDate(from) || !isDate(to)) return;
    const length = 1 + dayOfDate(to) - dayOfDate(from);
    if (length >= 1 && length <= MAX_DAYS) return;
    const message = `must be on or after from, and less than ${MAX_DAYS} days later`;
    context.addIssue({ code: "custom", path: ["to"], message });
  });

const DEFAULT_DAYS = 30;

/** Resolves a query to the first and last day of its report, in days since the Unix epoch. */
export function resolveRange(
  { from, to, days = DEFAULT_DAYS }: StatisticsQuery,
  today: number,
): { readonly from: number; readonly to: number } {
  if (from !== undefined && to !== undefined) return { from: dayOfDate(from), to: dayOfDate(to) };
  return { from: today - days + 1, to: today };
}

/**
 * The days that a report covers: either `from` to `to` (both inclusive), or the last `days` days up to and including today.
 * Default: the last 30 days.
 */
export type StatisticsQuery = z.input<typeof statisticsQuerySchema>;
