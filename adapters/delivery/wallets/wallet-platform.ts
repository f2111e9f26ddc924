import { MINUTE_MS } from "../../../src/base/values/clock.js";
import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { RetrySchedule } from "../../../src/kernel/retries.js";
import type { MessageBackend } from "../../../src/messages/message-backend.js";
import type { WalletOutcome, WalletPlatform } from "../../../src/storage/wallets.js";
import type { WalletBackend, WalletJob } from "../../../src/wallets/wallet-backend.js";
import type { CallLimit } from "./call-limit.js";
import type { Drawings } from "./drawing.js";
import type { Endpoints } from "./endpoints.js";
import type { FindPicture } from "./picture-cache.js";

/** The message backend methods that record whether wallets accepted the messages shown on cards. */
export type AcceptedMessages = Pick<MessageBackend, "walletAccepted" | "walletMissing">;

/** Dependencies that all wallet platforms share. */
export interface WalletContext {
  readonly backend: WalletBackend;
  readonly messages: AcceptedMessages;
  /** The URL of the server's `/wallets` path. */
  readonly base: string;
  readonly pictures: FindPicture;
  /** The service that draws stamps, or `null` if no renderer is set up. */
  readonly drawings: Drawings | null;
  /** Limits how often devices can register for each pass. Without it, a client could easily trigger unlimited writes. */
  readonly registrations: CallLimit;
  readonly onError: ErrorListener;
}

/** A wallet platform that the host has set up. */
export interface PlatformWallet {
  readonly endpoints: Endpoints;
  readonly deliverer: Deliverer;
  /** Returns the URL that a customer opens to add a pass to their wallet. */
  buildLink(passId: string, linkToken: string): string;
}

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
