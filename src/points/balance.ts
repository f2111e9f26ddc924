import type { RemainingLot } from "../storage/points.js";
import type { PointBalance, PointsAt } from "./schema.js";

/**
 * Adds up the points that a pass has at a time, in milliseconds since the Unix epoch. Points that have expired by then don't count,
 * whether or not their expiry is recorded.
 */
export function computeBalance(lots: readonly RemainingLot[], now: number): PointBalance {
  // In no order, because a pass can have thousands of lots.
  const open = lots.filter((lot) => hasPoints(lot) && endOf(lot) > now);
  const usable = open.filter(({ usableFrom }) => usableFrom <= now);
  const pending = open.filter(({ usableFrom }) => usableFrom > now);
  const ending = usable.filter((lot) => Number.isFinite(endOf(lot)));
  return {
    available: sumRemaining(usable),
    pending: sumRemaining(pending),
    expiring: sumByTime(ending, endOf),
    upcoming: sumByTime(pending, ({ usableFrom }) => usableFrom),
  };
}

/** Returns the points in lots that have ended by a time, in milliseconds since the Unix epoch. */
export function sumEnded(lots: readonly RemainingLot[], now: number): number {
  return sumRemaining(lots.filter((lot) => endOf(lot) <= now));
}

export function hasPoints({ remaining }: RemainingLot): boolean {
  return remaining > 0;
}

/** Returns the first moment at which a lot's points can no longer be used. */
export function endOf({ expiresAt, graceUntil }: RemainingLot): number {
  return graceUntil ?? expiresAt ?? Number.POSITIVE_INFINITY;
}

function sumRemaining(lots: readonly RemainingLot[]): number {
  return lots.reduce((sum, { remaining }) => sum + remaining, 0);
}

/** Adds up the points that are left in lots by a time of the lots, soonest first. */
function sumByTime(lots: readonly RemainingLot[], timeOf: (lot: RemainingLot) => number): PointsAt[] {
  const sums = new Map<number, number>();
  for (const lot of lots) sums.set(timeOf(lot), (sums.get(timeOf(lot)) ?? 0) + lot.remaining);
  return [...sums].map(([at, points]) => ({ points, at })).sort((a, b) => a.at - b.at);
}
