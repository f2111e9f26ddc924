import type { StoredPass } from "../storage/passes.js";
import type { StoredWalletCard } from "../storage/wallets.js";

/*
 * Whoever has a pass can add and remove it as often as a program can call. What that makes of the pass is told at a pace:
 * what comes back within a minute was never gone.
 */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** The least time between two changes of the installation that are told, in milliseconds. */
export const APART_MS = MINUTE_MS;

/** So many changes may be told a minute apart; after that there is room for one more each two hours. */
const IN_A_ROW = 12;
const ROOM_MS = 2 * HOUR_MS;

/** The most changes of the installation of one pass that are told in 24 hours. */
export const TOLD_A_DAY = IN_A_ROW + (24 * HOUR_MS) / ROOM_MS;

/** When the next change of the installation of a pass may be told; the present or before, when it may be at once. */
export function mayTellAt(
  { toldUntil }: Pick<StoredWalletCard, "toldUntil">,
  { installationStatus, updatedAt }: Pick<StoredPass, "installationStatus" | "updatedAt">,
  now: number,
): number {
  const isFirst = installationStatus === null || updatedAt > now + SECOND_MS;
  // Changes within a millisecond are told apart by their times, which then are ahead of the clock.
  const lastTold = isFirst ? Number.NEGATIVE_INFINITY : Math.floor(updatedAt / SECOND_MS) * SECOND_MS;
  return Math.max(lastTold + APART_MS, countedUntil(toldUntil, now) - (IN_A_ROW - 1) * ROOM_MS);
}

/** Until when what was told counts, once one more change has been told. */
export function toldUntilAfter({ toldUntil }: Pick<StoredWalletCard, "toldUntil">, now: number): number {
  return countedUntil(toldUntil, now) + ROOM_MS;
}

/** A time of a clock that was set back since does not count: it would hold back for as long as that went. */
function countedUntil(toldUntil: number | null, now: number): number {
  return toldUntil === null || toldUntil > now + IN_A_ROW * ROOM_MS ? now : Math.max(toldUntil, now);
}
