import type { MomentCounts } from "../storage/day-counts.js";
import type { StampEntryType, StoredPass, StoredStampCard } from "../storage/passes.js";
import type { PointEntryType } from "../storage/points.js";
import type { WalletPlatform } from "../storage/wallets.js";

/** Returns how much a pass adds to the card count: 0 for a preview pass, or 1 for any other pass. */
export function countCard({ isPreviewPass }: StoredPass): number {
  return isPreviewPass ? 0 : 1;
}

/**
 * Returns what a stamp entry adds to the statistics for its day. A granted reward counts as earned. All stamps added by one entry
 * count as one visit, and reversing the entry subtracts that visit.
 */
export function countStampChange(
  before: StoredStampCard,
  after: StoredStampCard,
  type: StampEntryType,
): Partial<MomentCounts> {
  const completions = after.timesCompleted - before.timesCompleted;
  const otherRewards = after.rewardsAvailable - before.rewardsAvailable - completions;
  const rewardsEarned = completions + classifyGrant(type, otherRewards);
  const stamps = after.totalStampsCollected - before.totalStampsCollected;
  return {
    stamps,
    visits: Math.sign(stamps),
    rewardsEarned,
    rewardsRedeemed: rewardsEarned - (after.rewardsAvailable - before.rewardsAvailable),
  };
}

/**
 * Returns what a point entry adds to the statistics for its day. A reversal counts like the reversed entry, with the opposite sign.
 * @param type the entry's type, or the type of the reversed entry if the entry is a reversal.
 */
export function countPoints(type: PointEntryType, points: number): Partial<MomentCounts> {
  if (type === "spent") return { pointsSpent: -points };
  return type === "expired" ? { pointsExpired: -points } : { pointsGiven: points };
}

/** Returns the number of rewards that an entry granted, not counting rewards for full cards. A reversal counts as negative. */
function classifyGrant(type: string, otherRewards: number): number {
  if (type === "granted") return otherRewards;
  return type === "reversed" ? Math.min(otherRewards, 0) : 0;
}

/**
 * Returns what one wallet installation adds to the statistics for its day.
 * @param platform the wallet's platform, or `null` if unknown.
 */
export function countInstall(platform: WalletPlatform | null): Partial<MomentCounts> {
  if (platform === "apple") return { installsApple: 1 };
  return platform === "google" ? { installsGoogle: 1 } : { installsOther: 1 };
}
