import type { MomentCounts } from "../storage/day-counts.js";
import type { StampEntryType, StoredPass, StoredStampCard } from "../storage/passes.js";
import type { WalletPlatform } from "../storage/wallets.js";

/** How many cards a pass is: a preview is none. */
export function countCard({ isPreviewPass }: StoredPass): number {
  return isPreviewPass ? 0 : 1;
}

/**
 * What a change of a stamp card adds to the numbers of its day. A reward that is given counts as one that is earned. The stamps that
 * an entry adds are one visit, and what reverses it takes that back.
 */
export function countStampChange(
  before: StoredStampCard,
  after: StoredStampCard,
  type: StampEntryType,
): Partial<MomentCounts> {
  const completions = after.timesCompleted - before.timesCompleted;
  const besides = after.rewardsAvailable - before.rewardsAvailable - completions;
  const rewardsEarned = completions + grantedBy(type, besides);
  const stamps = after.totalStampsCollected - before.totalStampsCollected;
  return {
    stamps,
    visits: Math.sign(stamps),
    rewardsEarned,
    rewardsRedeemed: rewardsEarned - (after.rewardsAvailable - before.rewardsAvailable),
  };
}

/** Returns how many rewards of an entry were granted, besides the rewards of full cards. A reversal counts as negative. */
function grantedBy(type: string, besides: number): number {
  if (type === "granted") return besides;
  return type === "reversed" ? Math.min(besides, 0) : 0;
}

/** What an installation adds. @param platform `null` where it is not known. */
export function countInstall(platform: WalletPlatform | null): Partial<MomentCounts> {
  if (platform === "apple") return { installsApple: 1 };
  return platform === "google" ? { installsGoogle: 1 } : { installsOther: 1 };
}
