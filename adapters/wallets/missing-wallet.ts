import type { Clock } from "../../src/index.js";
import type { WalletPlatform } from "../../src/storage/wallets.js";
import type { Deliverer } from "./deliverer.js";

const LATER_MS = 3_600_000;

/**
 * Stands in for a wallet that the host has not set up, or has removed. Its deliveries become due again every hour, without delaying
 * other deliveries.
 */
export function createMissingWallet(platform: WalletPlatform, clock: Clock): Deliverer {
  return {
    platform,
    deliver: (jobs) =>
      jobs.map(async ({ delivery: { passId, revision }, devices }) => ({
        ...{ passId, revision },
        deviceIds: [],
        // Apple passes that are on no phone need no push. Google may have the card anyway.
        nextAttemptAt: platform === "apple" && devices.length === 0 ? null : clock() + LATER_MS,
      })),
    close() {},
  };
}
