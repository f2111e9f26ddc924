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
    deliver: async (jobs) =>
      jobs.map(({ delivery: { passId, revision } }) => ({
        ...{ passId, revision },
        deviceIds: [],
        nextAttemptAt: clock() + LATER_MS,
      })),
    close() {},
  };
}
