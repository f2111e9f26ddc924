import type { ErrorListener } from "../../src/events/event-emitter.js";
import type { MessageBackend } from "../../src/messages/message-backend.js";
import type { WalletBackend } from "../../src/wallets/wallet-backend.js";
import type { CallLimit } from "./call-limit.js";
import type { Deliverer } from "./deliverer.js";
import type { Drawings } from "./drawing.js";
import type { Endpoints } from "./endpoints.js";
import type { FindPicture } from "./picture-cache.js";

/** Receives the results for messages that cards wait for. */
export type AcceptedMessages = Pick<MessageBackend, "walletAccepted" | "walletMissing">;

/** The parts that both wallet platforms share. */
export interface WalletContext {
  readonly backend: WalletBackend;
  readonly messages: AcceptedMessages;
  /** The server's URL for `/wallets`. */
  readonly base: string;
  readonly pictures: FindPicture;
  /** The drawings; `null` if there is no renderer. */
  readonly drawings: Drawings | null;
  /** Limits how often devices register for a pass, because each registration is a write and costs its sender nothing. */
  readonly registrations: CallLimit;
  readonly onError: ErrorListener;
}

/** A wallet platform that the host has set up. */
export interface PlatformWallet {
  readonly endpoints: Endpoints;
  readonly deliverer: Deliverer;
  /** Returns the URL that adds a pass to the wallet. */
  linkOf(passId: string, linkToken: string): string;
}
