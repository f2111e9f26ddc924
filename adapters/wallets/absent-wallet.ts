import type { Clock, WalletPlatform } from "../../src/index.js";
import type { Deliverer } from "./deliverer.js";

const LATER_MS = 3_600_000;

/**
 * A wallet that the host has not any more, or not yet: what it is to be told of waits, and stands in nobody's way
 * meanwhile.
 */
export function absentWallet(platform: WalletPlatform, clock: Clock): Deliverer {
  return {
    platform,
    deliver: (jobs) =>
      jobs.map(async ({ delivery: { passId, revision }, devices }) => ({
        ...{ passId, revision },
        deviceIds: [],
        // Phones that are not there need not be told of anything; Google has cards, whoever has them there.
        nextAttemptAt: platform === "apple" && devices.length === 0 ? null : clock() + LATER_MS,
      })),
    close() {},
  };
}
