import type { Clock } from "../../src/index.js";
import type { WalletPlatform } from "../../src/storage/wallets.js";
import type { Deliverer } from "./deliverer.js";

const LATER_MS = 3_600_000;

/**
 * Stands for a wallet that the host has not any more, or not yet: its deliveries are due again each hour, and hold up no
 * others meanwhile.
 */
export function createMissingWallet(platform: WalletPlatform, clock: Clock): Deliverer {
  return {
    platform,
    deliver: (jobs) =>
      jobs.map(async ({ delivery: { passId, revision }, devices }) => ({
        ...{ passId, revision },
        deviceIds: [],
        // Phones that are not there need no push; Google has cards, whoever has them there.
        nextAttemptAt: platform === "apple" && devices.length === 0 ? null : clock() + LATER_MS,
      })),
    close() {},
  };
}
