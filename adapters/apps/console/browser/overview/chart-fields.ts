import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { StatisticsReport } from "../../../../../src/statistics/schema.js";
import { hasScopes } from "../api/session.js";
import type { overview as words } from "../words/en/overview.js";
import { buildListPath } from "./program-counts.js";

export type Day = StatisticsReport["days"][number];

/** The name of a number that statistics have for each day. */
export type ChartField = keyof typeof words.charts;

/** The numbers that the chart can show, in the order of the choice. */
export const chartFields = [
  ...(["stamps", "customers", "activeCards", "rewardsEarned", "rewardsRedeemed"] as const),
  ...(["installs", "emailsAccepted", "walletMessages", "unsubscribed"] as const),
] as const satisfies readonly ChartField[];

/** Numbers that are shown only if there are cards with points. */
export const pointFields = [
  "pointsGiven",
  "pointsSpent",
  "pointsExpired",
] as const satisfies readonly ChartField[];

/** Whether a number is a level measured at the end of each day. The others are daily totals. */
export const isLevel = (field: ChartField) => field === "customers" || field === "activeCards";

/** Returns a day's number. Installs are those on all platforms. */
export function readNumber(day: Day, field: ChartField): number {
  if (field !== "installs") return day[field];
  const { apple, google, other } = day.installs;
  return apple + google + other;
}

/**
 * Returns the path of the list that contains what a number counts: customers, cards, or messages. Redeemed rewards have no list,
 * because customers can't be filtered by the day of a reward.
 * @param range the number of days that the number covers.
 * @returns the path, or `undefined` if there is no such list or the user isn't allowed to see it.
 */
export function findListPath(field: ChartField, range: number): string | undefined {
  if (field === "customers") return hasScopes("user:read") ? "/customers" : undefined;
  if (field === "activeCards") return hasScopes("template:read") ? "/cards" : undefined;
  if (field === "emailsAccepted" || field === "walletMessages")
    return hasScopes("message:read") ? "/messages" : undefined;
  const filter = buildChartFilter(field, range);
  return filter === null ? undefined : findCustomersPath(filter);
}

/** Returns the path of the customers who match, or `undefined` if the user isn't allowed to see them. */
export function findCustomersPath(filter: SegmentFilter): string | undefined {
  return hasScopes("segment:read", "pass:read", "user:read") ? buildListPath(filter) : undefined;
}

function buildChartFilter(field: ChartField, range: number): SegmentFilter | null {
  if (field === "stamps") return { operator: "AND", conditions: [{ lastVisit: { withinDays: range - 1 } }] };
  if (field === "rewardsEarned") return { operator: "AND", conditions: [{ completions: { min: 1 } }] };
  if (field === "unsubscribed")
    return { operator: "AND", conditions: [{ subscription: { channel: "email", status: "UNSUBSCRIBED" } }] };
  if (field === "installs") return { operator: "AND", conditions: [{ wallet: { installed: true } }] };
  return null;
}
