import type { Clock } from "../../src/index.js";
import type { WalletPlatform } from "../../src/storage/wallets.js";
import type { Deliverer } from "./deliverer.js";

const LATER_MS = 3_600_000;

/**
 * Creates a stand-in for a wallet platform that the host hasn't set up or has removed. Pending deliveries become due again every
 * hour, and don't hold up other deliveries.
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
