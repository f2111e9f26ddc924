import { dayIn } from "../../src/base/values/calendar-days.js";
import { dateOf } from "../../src/base/values/clock.js";
import { untyped } from "../kit/refusal.js";
import type { RecordedEvent } from "./recount.js";

/** Points that one entry adds to a count of a day. */
interface RecountedPoints {
  readonly day: string;
  readonly count: "pointsGiven" | "pointsSpent" | "pointsExpired";
  readonly points: number;
}

/**
 * Lists the points in all events, one by one. Points expire on their last day, unless they were given later than that.
 * @param timeZone the time zone that decides when days begin.
 */
export function recountPoints(events: readonly RecordedEvent[], timeZone: string): RecountedPoints[] {
  const types = new Map<string, string>();
  const changedAt = new Map<string, number>();
  return events.flatMap(({ type, data }) => {
    if (!type.startsWith("points.")) return [];
    const { entry, pointCard } = untyped(data);
    const { walletPassId } = pointCard;
    types.set(entry.id, entry.type);
    const of = entry.type === "reversed" ? types.get(entry.reverses) : entry.type;
    const isExpired = of === "expired";
    const last = Date.parse(entry.at) - 1;
    const at = isExpired ? Math.max(last, changedAt.get(walletPassId) ?? last) : Date.parse(entry.createdAt);
    if (!isExpired) changedAt.set(walletPassId, at);
    const count = isExpired ? "pointsExpired" : of === "spent" ? "pointsSpent" : "pointsGiven";
    const points = count === "pointsGiven" ? entry.points : -entry.points;
    return { day: dateOf(dayIn(timeZone, at)), count, points };
  });
}
