import type { SegmentFilter } from "../../../../src/resources/segment-filter.js";
import { hasScopes } from "../api/session.js";
import { logLink } from "../components/log-filter.js";
import { filteredListPath } from "./program-counts.js";

/** The types of events that earn and redeem a reward, for the links of a day. */
const rewardEvents = {
  earned: ["stamp_card.completed", "reward.granted"],
  taken: ["stamp_card.redeemed"],
} as const;

/** Links to the events of a day's rewards, which no customer filter covers; `undefined` if the user may not see them. */
export function rewardEventsLink(day: string, which: keyof typeof rewardEvents): string | undefined {
  return hasScopes("webhook:manage") ? logLink(rewardEvents[which], day) : undefined;
}

/**
 * Links to the customers that a chart counts, if the user may see them.
 * @param range the days of the chart.
 * @returns `undefined` if no list has them.
 */
export function findChartLink(field: string, range: number): string | undefined {
  if (field === "customers") return hasScopes("user:read") ? "/customers" : undefined;
  if (field === "activeCards") return hasScopes("template:read") ? "/cards" : undefined;
  if (field === "rewardsRedeemed")
    return hasScopes("webhook:manage") ? logLink(["stamp_card.redeemed"]) : undefined;
  if (field === "emailsAccepted" || field === "walletMessages")
    return hasScopes("message:read") ? "/messages" : undefined;
  const filter = buildChartFilter(field, range);
  return filter !== null && hasScopes("segment:read", "pass:read", "user:read")
    ? filteredListPath(filter)
    : undefined;
}

function buildChartFilter(field: string, range: number): SegmentFilter | null {
  if (field === "stamps") return { operator: "AND", conditions: [{ lastVisit: { withinDays: range - 1 } }] };
  if (field === "rewardsEarned") return { operator: "AND", conditions: [{ completions: { min: 1 } }] };
  if (field === "unsubscribed")
    return { operator: "AND", conditions: [{ subscription: { channel: "email", status: "UNSUBSCRIBED" } }] };
  if (field === "installs") return { operator: "AND", conditions: [{ wallet: { installed: true } }] };
  return null;
}
