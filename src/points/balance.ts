import type { RemainingLot } from "../storage/points.js";
import type { PointBalance, TimedPoints } from "./schema.js";

/**
 * Adds up the points that a pass has at a time, in milliseconds since the Unix epoch. Points that have expired by then don't count,
 * whether or not their expiry is recorded.
 */
export function computeBalance(lots: readonly RemainingLot[], now: number): PointBalance {
  // In no order, because a pass can have thousands of lots.
  const openLots = lots.filter((lot) => hasPoints(lot) && getLotEnd(lot) > now);
  const usableLots = openLots.filter(({ usableFrom }) => usableFrom <= now);
  const pendingLots = openLots.filter(({ usableFrom }) => usableFrom > now);
  const expiringLots = usableLots.filter((lot) => Number.isFinite(getLotEnd(lot)));
  return {
    available: sumRemaining(usableLots),
    pending: sumRemaining(pendingLots),
    expiring: sumByTime(expiringLots, getLotEnd),
    upcoming: sumByTime(pendingLots, ({ usableFrom }) => usableFrom),
  };
}

/** Returns the points in lots that have ended by a time, in milliseconds since the Unix epoch. */
export function sumEnded(lots: readonly RemainingLot[], now: number): number {
  return sumRemaining(lots.filter((lot) => getLotEnd(lot) <= now));
}

export function hasPoints({ remaining }: RemainingLot): boolean {
  return remaining > 0;
}

/** Returns the first moment at which a lot's points can no longer be used. */
export function getLotEnd({ expiresAt, graceUntil }: RemainingLot): number {
  return graceUntil ?? expiresAt ?? Number.POSITIVE_INFINITY;
}

function sumRemaining(lots: readonly RemainingLot[]): number {
  return lots.reduce((sum, { remaining }) => sum + remaining, 0);
}

/** Adds up the points that are left in lots by a time of the lots, soonest first. */
function sumByTime(lots: readonly RemainingLot[], getTime: (lot: RemainingLot) => number): TimedPoints[] {
  const sums = new Map<number, number>();
  for (const lot of lots) sums.set(getTime(lot), (sums.get(getTime(lot)) ?? 0) + lot.remaining);
  return [...sums].map(([at, points]) => ({ points, at })).sort((a, b) => a.at - b.at);
}
