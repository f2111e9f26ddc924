import type { WalletOutcome, WalletPlatform } from "../../src/index.js";
import type { WalletJob } from "../../src/wallets/wallet-backend.js";

/** Tells one platform of changes. */
export interface Deliverer {
  readonly platform: WalletPlatform;
  /**
   * Tells of all of these.
   * @returns what becomes of each, in their order: none waits for another one. Nothing is thrown for what goes wrong on the way.
   */
  deliver(jobs: readonly WalletJob[]): readonly Promise<WalletOutcome>[];
  /** Begins to tell of nothing more: what is left of a claim is told later, by whoever claims it then. */
  stop?(): void;
  /** Lets go of connections. */
  close(): void;
}
