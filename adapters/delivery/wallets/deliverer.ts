import type { WalletOutcome, WalletPlatform } from "../../../src/storage/wallets.js";
import type { WalletJob } from "../../../src/wallets/wallet-backend.js";

/** Delivers card changes to one wallet platform. */
export interface Deliverer {
  readonly platform: WalletPlatform;
  /**
   * Delivers a batch of jobs.
   * @returns one promise per job, in the same order. The promises settle independently. A failed delivery resolves to an outcome
   *   and doesn't reject.
   */
  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[];
  /** Stops starting new deliveries. Jobs that were claimed but not started are due again later. */
  stop?(): void;
  /** Closes any open connections. */
  close(): void;
}
