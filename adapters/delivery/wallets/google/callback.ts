import { createHash } from "node:crypto";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import type { CallLimit } from "../call-limit.js";
import { toFields, tryParseJson } from "../json.js";
import { errorBody, readBody, response, tooManyRequests } from "../responses.js";
import { parsePassId } from "./card-content.js";
import type { GoogleIdentity } from "./identity.js";
import { GOOGLE_DEVICE } from "./reconciliation.js";
import { RootKeys } from "./root-keys.js";
import { parseSignedMessage, verifySignature } from "./signed-message.js";

const SENDER = "GooglePayPasses";
const PROTOCOL = "ECv2SigningOnly";

const MAX_BYTES = 16_384;
const MAX_NONCE_LENGTH = 200;

const MAX_NONCES = 10_000;

/** A change that a person made to a card in their wallet. */
interface CardEvent {
  readonly objectId: string;
  readonly type: string;
  readonly nonce: string;
  readonly expiresAt: number;
}

/** Handles callbacks that Google sends when someone adds a card to their wallet or removes it. */
export class GoogleCallback {
  private readonly roots: RootKeys;
  private readonly nonces = new NonceStore();

  constructor(
    private readonly backend: Pick<WalletBackend, "clock" | "card" | "devices">,
    private readonly identity: Pick<GoogleIdentity, "issuerId" | "keysUrl">,
    private readonly registrations: CallLimit,
  ) {
    this.roots = new RootKeys(identity.keysUrl, PROTOCOL, backend.clock);
  }

  async answer(request: HttpRequest): Promise<HttpResponse> {
    const read = await readBody(request, MAX_BYTES);
    if ("refused" in read) return read.refused;
    const message = parseSignedMessage(read.value);
    if (message === null) return errorBody("malformed_request");
    const roots = await this.roots.current();
    if (roots.length === 0) return errorBody("storage_unavailable", { "retry-after": "60" });
    const now = this.backend.clock();
    const parties = { sender: SENDER, recipient: this.identity.issuerId, protocolVersion: PROTOCOL };
    const event = verifySignature(message, parties, roots, now)
      ? eventIn(tryParseJson(message.message))
      : null;
    if (event === null || event.expiresAt <= now) return errorBody("unauthorized");
    const wait = this.registrations.secondsToWait(parsePassId(this.identity, event.objectId) ?? "");
    if (wait !== null) return tooManyRequests(wait);
    // Google repeats a message if it isn't sure that the message arrived.
    if (!this.nonces.add(event.nonce, event.expiresAt, now)) return response(200);
    try {
      await this.apply(event);
    } catch (error) {
      this.nonces.forget(event.nonce);
      throw error;
    }
    return response(200);
  }

  private async apply({ objectId, type, nonce }: CardEvent): Promise<void> {
    const passId = parsePassId(this.identity, objectId);
    if ((type !== "save" && type !== "del") || passId === null) return;
    const issued = await this.backend.card(passId);
    if (issued === null) return;
    const key = { passId, platform: "google", deviceId: GOOGLE_DEVICE } as const;
    // Another process may have received the same message.
    const once = { idempotencyKey: `google ${createHash("sha256").update(nonce).digest("base64url")}` };
    if (type === "save")
      await this.backend.devices.register(issued.organizationId, { ...key, pushToken: null }, once);
    else await this.backend.devices.unregister(issued.organizationId, key, once);
  }
}

/** Stores the nonce of each message until the message expires, to detect replays. */
export class NonceStore {
  private readonly seen = new Map<string, number>();

  /**
   * Stores a nonce until its message expires.
   * @returns `false` if the nonce was already stored, or `true` otherwise.
   */
  add(nonce: string, expiresAt: number, now: number): boolean {
    if ((this.seen.get(nonce) ?? 0) > now) return false;
    this.seen.delete(nonce);
    this.seen.set(nonce, expiresAt);
    for (const [oldest, end] of this.seen) {
      if (end > now && this.seen.size <= MAX_NONCES) break;
      this.seen.delete(oldest);
    }
    return true;
  }

  /** Removes the nonce of a message that couldn't be processed, so that Google can send the message again. */
  forget(nonce: string): void {
    this.seen.delete(nonce);
  }
}

/**
 * Returns the event in a message; `null` if its nonce or expiry is missing or malformed, so that a replay couldn't be recognized.
 */
function eventIn(value: unknown): CardEvent | null {
  const { objectId, eventType: type, nonce, expTimeMillis } = toFields(value);
  const expiresAt = Number(expTimeMillis);
  if (typeof nonce !== "string" || nonce.length > MAX_NONCE_LENGTH || !Number.isFinite(expiresAt))
    return null;
  return { objectId: textIn(objectId), type: textIn(type), nonce, expiresAt };
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}
