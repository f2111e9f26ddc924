import { MINUTE_MS } from "../../../src/base/values/clock.js";
import type { RetrySchedule } from "../../../src/kernel/retries.js";
import type { WalletOutcome, WalletPlatform } from "../../../src/storage/wallets.js";
import type { WalletJob } from "../../../src/wallets/wallet-backend.js";

/** The retry schedule for wallet deliveries, which are retried indefinitely. */
export const WALLET_RETRIES: RetrySchedule = {
  delays: [5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 60 * MINUTE_MS],
  isEndless: true,
};

/** Delivers card changes to one wallet platform. */
export interface Deliverer {
  readonly platform: WalletPlatform;
  /**
   * Delivers a batch of jobs.
   * @returns one promise per job, in the same order. The promises settle independently of each other. A failed delivery resolves to
   *   an outcome instead of rejecting.
   */
  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[];
  /** Stops starting new deliveries. Jobs that were claimed but not started become due again later. */
  stop?(): void;
  /** Closes the connections to the platform, if there are any. */
  close(): void;
}
