import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { MessageBackend } from "../../../src/messages/message-backend.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import type { CallLimit } from "./call-limit.js";
import type { Deliverer } from "./deliverer.js";
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
  linkOf(passId: string, linkToken: string): string;
}
