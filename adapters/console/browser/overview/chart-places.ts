import type { SegmentFilter } from "../../../../src/resources/segment-filter.js";
import { may } from "../api/session.js";
import { listedAt } from "./programme-counts.js";

/**
 * Where those are whom a chart counts, as far as whoever is signed in may see them.
 * @param range the days of the chart.
 * @returns `undefined` where nothing lists them.
 */
export function placeOf(field: string, range: number): string | undefined {
  if (field === "members") return may("user:read") ? "/customers" : undefined;
  if (field === "activeCards") return may("template:read") ? "/cards" : undefined;
  const filter = filterOf(field, range);
  return filter !== null && may("segment:read", "pass:read", "user:read") ? listedAt(filter) : undefined;
}

function filterOf(field: string, range: number): SegmentFilter | null {
  if (field === "stamps") return { operator: "AND", conditions: [{ lastVisit: { withinDays: range - 1 } }] };
  if (field === "rewardsEarned") return { operator: "AND", conditions: [{ completions: { min: 1 } }] };
  if (field === "installs") return { operator: "AND", conditions: [{ wallet: { installed: true } }] };
  return null;
}
