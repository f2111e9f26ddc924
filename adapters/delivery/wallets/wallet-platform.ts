import type { ErrorListener } from "../../../src/kernel/events/event-emitter.js";
import type { MessageBackend } from "../../../src/messages/message-backend.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";
import type { CallLimit } from "./call-limit.js";
import type { Deliverer } from "./deliverer.js";
import type { Drawings } from "./drawing.js";
import type { Endpoints } from "./endpoints.js";
import type { FindPicture } from "./picture-cache.js";

/** Receives the delivery results for messages that are shown on cards. */
export type AcceptedMessages = Pick<MessageBackend, "walletAccepted" | "walletMissing">;

/** Dependencies that all wallet platforms share. */
export interface WalletContext {
  readonly backend: WalletBackend;
  readonly messages: AcceptedMessages;
  /** The URL of the server's `/wallets` path. */
  readonly base: string;
  readonly pictures: FindPicture;
  /** The stamp drawings, or `null` if there is no renderer. */
  readonly drawings: Drawings | null;
  /** Limits how often devices can register for a pass, because each registration causes a write but costs the client nothing. */
  readonly registrations: CallLimit;
  readonly onError: ErrorListener;
}

/** A wallet platform that the host has set up. */
export interface PlatformWallet {
  readonly endpoints: Endpoints;
  readonly deliverer: Deliverer;
  /** Returns the URL that customers open to add a pass to their wallet. */
  linkOf(passId: string, linkToken: string): string;
}
