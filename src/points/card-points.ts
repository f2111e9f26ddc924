import { dayIn } from "../base/values/calendar-days.js";
import type { PointBalance } from "./schema.js";

/** Points that expire or become usable on the same day. */
export interface PointsOnDay {
  readonly points: number;
  /** The calendar day in the organization's time zone, in days since the Unix epoch. */
  readonly day: number;
}

/** The points that a card shows. */
export interface CardPoints {
  /** The shop's word for points, or `null` for the language's word. */
  readonly unit: string | null;
  readonly available: number;
  readonly debt: number;
  /** The points that expire next, with the last day on which they are usable, or `null` if none expire. */
  readonly expiring: PointsOnDay | null;
  /** The pending points that become usable next, with the first day on which they are, or `null` if none are pending. */
  readonly upcoming: PointsOnDay | null;
}

export function cardPointsOf(
  unit: string | null,
  debt: number,
  { available, expiring, upcoming }: PointBalance,
  timeZone: string,
): CardPoints {
  const [nextExpiring] = expiring;
  const [nextUpcoming] = upcoming;
  return {
    unit,
    available,
    debt,
    // Points usually expire at midnight, so their last day is the day before.
    expiring: nextExpiring
      ? { points: nextExpiring.points, day: dayIn(timeZone, nextExpiring.at - 1) }
      : null,
    upcoming: nextUpcoming ? { points: nextUpcoming.points, day: dayIn(timeZone, nextUpcoming.at) } : null,
  };
}
