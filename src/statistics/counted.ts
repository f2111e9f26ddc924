import type { DayCounts } from "../storage/day-counts.js";
import type { StoredCard, StoredPass } from "../storage/passes.js";
import type { WalletPlatform } from "../storage/wallets.js";

/** How many cards a pass is: a preview is none. */
export function cardsOf({ isPreviewPass }: StoredPass): number {
  return isPreviewPass ? 0 : 1;
}

/** What a change of a stamp card adds to the numbers of its day. */
export function stampCountsOf(before: StoredCard, after: StoredCard): Partial<DayCounts> {
  const rewardsEarned = after.timesCompleted - before.timesCompleted;
  return {
    stamps: after.totalStampsCollected - before.totalStampsCollected,
    rewardsEarned,
    rewardsRedeemed: rewardsEarned - (after.rewardsAvailable - before.rewardsAvailable),
  };
}

/** What an installation adds. @param platform `null` where it is not known. */
export function installsOn(platform: WalletPlatform | null): Partial<DayCounts> {
  if (platform === "apple") return { installsApple: 1 };
  return platform === "google" ? { installsGoogle: 1 } : { installsOther: 1 };
}
