import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { SingleFlight } from "../../../../src/base/concurrency/shared-calls.js";
import { finishesWithin } from "../../../../src/base/concurrency/timeout.js";
import type { Clock } from "../../../../src/index.js";
import type { WalletBackend } from "../../../../src/wallets/wallet-backend.js";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import type { CallLimit } from "../call-limit.js";
import { toFields, tryParseJson } from "../json.js";
import { readBody, tooManyRequestsResponse, walletErrorResponse, walletResponse } from "../responses.js";
import { parsePassId } from "./card-content.js";
import type { GoogleIdentity } from "./identity.js";
import { GOOGLE_DEVICE } from "./reconciliation.js";

const MAX_KEY_SIGNATURES = 10;

/** Intervals after which keys are fetched again, in milliseconds: one after a success, the other after a failure. */
const REFRESH_INTERVAL_MS = 3_600_000;

const RETRY_DELAY_MS = 10_000;

const TIMEOUT_MS = 10_000;

/** How long callers wait for newer keys if there are valid ones, in milliseconds. */
const MAX_REFRESH_WAIT_MS = 500;

const MAX_KEYS = 20;

const MAX_RESPONSE_LENGTH = 65_536;

/**
 * Fetches and caches Google's public root keys for a protocol version. Limits how often it fetches keys, no matter how many
 * messages arrive.
 */
class RootKeys {
  private keys: readonly SigningKey[] = [];
  private nextFetchAt = Number.NEGATIVE_INFINITY;
  private readonly fetches = new SingleFlight<void>();

  constructor(
    private readonly url: string,
    private readonly protocolVersion: string,
    private readonly clock: Clock,
  ) {}

  /** Returns the keys that haven't expired, fetching newer keys if necessary. Returns an empty array if there are none. */
  async getCurrent(): Promise<readonly SigningKey[]> {
    if (this.clock() >= this.nextFetchAt) {
      const fetching = this.fetches.run("", () => this.refresh());
      // Valid keys stay in use while newer ones are being fetched.
      if (this.listValidKeys().length === 0) await fetching;
      else await finishesWithin(MAX_REFRESH_WAIT_MS, fetching);
    }
    return this.listValidKeys();
  }

  private listValidKeys(): readonly SigningKey[] {
    return this.keys.filter(({ expiresAt }) => expiresAt > this.clock());
  }

  private async refresh(): Promise<void> {
    const keys = await this.fetch();
    if (keys.length > 0) this.keys = keys;
    this.nextFetchAt = this.clock() + (keys.length > 0 ? REFRESH_INTERVAL_MS : RETRY_DELAY_MS);
  }

  private async fetch(): Promise<SigningKey[]> {
    try {
      const response = await fetch(this.url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      if (!response.ok || text.length > MAX_RESPONSE_LENGTH) return [];
      const { keys } = toFields(tryParseJson(text));
      if (!Array.isArray(keys)) return [];
      return keys
        .slice(0, MAX_KEYS)
        .filter((key) => toFields(key).protocolVersion === this.protocolVersion)
        .flatMap((key) => parseSigningKey(key) ?? []);
    } catch {
      return [];
    }
  }
}

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
  private readonly rootKeys: RootKeys;
  private readonly nonces = new NonceStore();

  constructor(
    private readonly backend: Pick<WalletBackend, "clock" | "card" | "devices">,
    private readonly identity: Pick<GoogleIdentity, "issuerId" | "keysUrl">,
    private readonly registrations: CallLimit,
  ) {
    this.rootKeys = new RootKeys(identity.keysUrl, PROTOCOL, backend.clock);
  }

  async handle(request: HttpRequest): Promise<HttpResponse> {
    const body = await readBody(request, MAX_BYTES);
    if ("refused" in body) return body.refused;
    const message = parseSignedMessage(body.value);
    if (message === null) return walletErrorResponse("malformed_request");
    const roots = await this.rootKeys.getCurrent();
    if (roots.length === 0) return walletErrorResponse("storage_unavailable", { "retry-after": "60" });
    const now = this.backend.clock();
    const participants = { sender: SENDER, recipient: this.identity.issuerId, protocolVersion: PROTOCOL };
    const event = verifySignature(message, participants, roots, now)
      ? parseEvent(tryParseJson(message.message))
      : null;
    if (event === null || event.expiresAt <= now) return walletErrorResponse("unauthorized");
    const wait = this.registrations.countCall(parsePassId(this.identity, event.objectId) ?? "");
    if (wait !== null) return tooManyRequestsResponse(wait);
    // Google repeats a message if it isn't sure that the message arrived.
    if (!this.nonces.add(event.nonce, event.expiresAt, now)) return walletResponse(200);
    try {
      await this.apply(event);
    } catch (error) {
      this.nonces.delete(event.nonce);
      throw error;
    }
    return walletResponse(200);
  }

  private async apply({ objectId, type, nonce }: CardEvent): Promise<void> {
    const passId = parsePassId(this.identity, objectId);
    if ((type !== "save" && type !== "del") || passId === null) return;
    const issuedCard = await this.backend.card(passId);
    if (issuedCard === null) return;
    const key = { passId, platform: "google", deviceId: GOOGLE_DEVICE } as const;
    // Another process may have received the same message.
    const idempotency = {
      idempotencyKey: `google ${createHash("sha256").update(nonce).digest("base64url")}`,
    };
    if (type === "save")
      await this.backend.devices.register(
        issuedCard.organizationId,
        { ...key, pushToken: null },
        idempotency,
      );
    else await this.backend.devices.unregister(issuedCard.organizationId, key, idempotency);
  }
}

/** Stores each message's nonce until the message expires, to detect replays. */
export class NonceStore {
  private readonly seenNonces = new Map<string, number>();

  /**
   * Stores a nonce until its message expires.
   * @returns `false` if the nonce was already stored, or `true` otherwise.
   */
  add(nonce: string, expiresAt: number, now: number): boolean {
    if ((this.seenNonces.get(nonce) ?? 0) > now) return false;
    this.seenNonces.delete(nonce);
    this.seenNonces.set(nonce, expiresAt);
    for (const [oldest, end] of this.seenNonces) {
      if (end > now && this.seenNonces.size <= MAX_NONCES) break;
      this.seenNonces.delete(oldest);
    }
    return true;
  }

  /** Removes the nonce of a message that couldn't be processed, so that Google can send the message again. */
  delete(nonce: string): void {
    this.seenNonces.delete(nonce);
  }
}

/**
 * Returns the event in a message; `null` if its nonce or expiry is missing or malformed, so that a replay couldn't be recognized.
 */
function parseEvent(value: unknown): CardEvent | null {
  const { objectId, eventType: type, nonce, expTimeMillis } = toFields(value);
  const expiresAt = Number(expTimeMillis);
  if (typeof nonce !== "string" || nonce.length > MAX_NONCE_LENGTH || !Number.isFinite(expiresAt))
    return null;
  return { objectId: parseText(objectId), type: parseText(type), nonce, expiresAt };
}

function parseText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/*
 * Messages that Google signs in the same way as for payments. A root key signs an intermediate key for some days, and the
 * intermediate key signs messages. Each signature covers several strings, each preceded by its length.
 */

/** A public key that verifies signatures: one of Google's root keys, or an intermediate key that a root key signed. */
interface SigningKey {
  readonly keyValue: string;
  /** When the key expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

interface SignedMessage {
  readonly protocolVersion: string;
  readonly signature: string;
  readonly signedKey: string;
  readonly keySignatures: readonly string[];
  readonly message: string;
}

/** The values that a message's signature must cover, in addition to the message itself. */
interface Parties {
  readonly sender: string;
  readonly recipient: string;
  readonly protocolVersion: string;
}

/**
 * Parses a signed message into its parts. Returns `null` if the message is malformed. The signed content stays an unparsed string
 * and must not be parsed until its signature has been verified.
 */
export function parseSignedMessage(body: unknown): SignedMessage | null {
  const { protocolVersion, signature, signedMessage, intermediateSigningKey } = toFields(body);
  const { signedKey, signatures } = toFields(intermediateSigningKey);
  const isComplete =
    typeof protocolVersion === "string" &&
    typeof signature === "string" &&
    typeof signedMessage === "string" &&
    typeof signedKey === "string" &&
    Array.isArray(signatures) &&
    signatures.length <= MAX_KEY_SIGNATURES;
  if (!isComplete) return null;
  const keySignatures = signatures.filter((each): each is string => typeof each === "string");
  return { protocolVersion, signature, signedKey, keySignatures, message: signedMessage };
}

/**
 * Returns whether the message is signed for this recipient by an intermediate key that is in turn signed by a valid root key.
 * Expired keys aren't accepted.
 */
export function verifySignature(
  { protocolVersion, signature, signedKey, keySignatures, message }: SignedMessage,
  { sender, recipient, protocolVersion: expected }: Parties,
  roots: readonly SigningKey[],
  now: number,
): boolean {
  if (protocolVersion !== expected) return false;
  const keyBytes = encodeWithLengths(sender, protocolVersion, signedKey);
  const isSignedByRoot = roots.some(
    ({ keyValue, expiresAt }) =>
      expiresAt > now && keySignatures.some((each) => isValidSignature(keyBytes, each, keyValue)),
  );
  if (!isSignedByRoot) return false;
  const key = parseSigningKey(tryParseJson(signedKey));
  if (key === null || key.expiresAt <= now) return false;
  const bytes = encodeWithLengths(sender, recipient, protocolVersion, message);
  return isValidSignature(bytes, signature, key.keyValue);
}

/** Parses a key and its expiration time. Returns `null` if either is missing or malformed. */
function parseSigningKey(value: unknown): SigningKey | null {
  const { keyValue, keyExpiration } = toFields(value);
  const isTime = typeof keyExpiration === "string" && /^\d{1,16}$/.test(keyExpiration);
  return typeof keyValue === "string" && isTime ? { keyValue, expiresAt: Number(keyExpiration) } : null;
}

/** Encodes each string in UTF-8, preceded by its length in bytes as a 32-bit little-endian integer. */
function encodeWithLengths(...texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => {
      const bytes = Buffer.from(text, "utf8");
      const length = Buffer.alloc(4);
      length.writeUInt32LE(bytes.byteLength);
      return [length, bytes];
    }),
  );
}

/** Verifies an ECDSA signature (P-256, SHA-256). */
function isValidSignature(bytes: Buffer, signature: string, keyValue: string): boolean {
  const key = parsePublicKey(keyValue);
  return key !== null && verify("sha256", bytes, key, Buffer.from(signature, "base64"));
}

function parsePublicKey(keyValue: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(keyValue, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
  } catch {
    return null;
  }
}
