import type { WalletOutcome, WalletPlatform } from "../../src/storage/wallets.js";
import type { WalletJob } from "../../src/wallets/wallet-backend.js";

/** Delivers changes to one platform. */
export interface Deliverer {
  readonly platform: WalletPlatform;
  /**
   * Delivers all of the jobs.
   * @returns each job's outcome, in the same order. The promises don't wait for each other. A failed delivery is an outcome, not a
   *   rejection.
   */
  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[];
  /** Starts no further deliveries. The rest of a claim is left to a later claim. */
  stop?(): void;
  /** Closes the connections. */
  close(): void;
}
