import type { WalletOutcome, WalletPlatform } from "../../src/index.js";
import type { WalletJob } from "../../src/wallets/wallet-desk.js";

/** Tells one platform of changes. */
export interface Deliverer {
  readonly platform: WalletPlatform;
  /** Tells of all of these, and says what became of each. It does not throw for what goes wrong on the way. */
  deliver(jobs: readonly WalletJob[]): Promise<readonly WalletOutcome[]>;
  /** Lets go of connections. */
  close(): void;
}
