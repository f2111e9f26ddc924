import type { WalletOutcome, WalletPlatform } from "../../src/storage/wallets.js";
import type { WalletJob } from "../../src/wallets/wallet-backend.js";

/** Delivers changes to one platform. */
export interface Deliverer {
  readonly platform: WalletPlatform;
  /**
   * Delivers all of these.
   * @returns the outcome of each, in their order: none waits for another one. A failure on the way is an outcome, too.
   */
  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[];
  /** Begins no further delivery: the rest of a claim is left to a later one. */
  stop?(): void;
  /** Closes the connections. */
  close(): void;
}
