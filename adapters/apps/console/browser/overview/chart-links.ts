import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { hasScopes } from "../api/session.js";
import { logLink } from "../components/log-filter.js";
import { filteredListPath } from "./program-counts.js";

/** Event types that earn or redeem a reward, for links to a day's events. */
const rewardEvents = {
  earned: ["stamp_card.completed", "reward.granted"],
  taken: ["stamp_card.redeemed"],
} as const;

/**
 * Returns the path of the event log, filtered to a day's reward events. Links to events rather than customers because customers
 * can't be filtered by the day of a reward. Returns `undefined` if the user isn't allowed to read events.
 */
export function rewardEventsLink(day: string, which: keyof typeof rewardEvents): string | undefined {
  return hasScopes("webhook:manage") ? logLink(rewardEvents[which], day) : undefined;
}

/**
 * Returns the path of the list that contains what a chart counts: customers, cards, messages, or events.
 * @param range the number of days that the chart covers.
 * @returns the path, or `undefined` if there is no such list or the user isn't allowed to see it.
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
