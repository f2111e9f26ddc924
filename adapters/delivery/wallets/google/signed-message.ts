import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { toFields, tryParseJson } from "../json.js";

/*
 * Messages that Google signs in the same way as for payments. A root key signs an intermediate key for some days, and the
 * intermediate key signs messages. Each signature covers several strings, each preceded by its length.
 */

/** A public key that verifies signatures: one of Google's root keys, or an intermediate key that a root key signed. */
export interface SigningKey {
  readonly keyValue: string;
  /** When the key expires, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

export interface SignedMessage {
  readonly protocolVersion: string;
  readonly signature: string;
  readonly signedKey: string;
  readonly keySignatures: readonly string[];
  readonly message: string;
}

/** The values that a message's signature must cover, in addition to the message itself. */
export interface Parties {
  readonly sender: string;
  readonly recipient: string;
  readonly protocolVersion: string;
}

const MAX_KEY_SIGNATURES = 10;

/**
 * Parses a signed message into its parts. Returns `null` if it is malformed. The signed content stays an unparsed string and must
 * not be parsed until its signature has been verified.
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
 * Returns whether a valid root key signed the intermediate key, and the intermediate key signed the message for this recipient.
 * Expired keys aren't accepted.
 */
export function verifySignature(
  { protocolVersion, signature, signedKey, keySignatures, message }: SignedMessage,
  { sender, recipient, protocolVersion: expected }: Parties,
  roots: readonly SigningKey[],
  now: number,
): boolean {
  if (protocolVersion !== expected) return false;
  const keyBytes = lengthAndValue(sender, protocolVersion, signedKey);
  const isByRoot = roots.some(
    ({ keyValue, expiresAt }) =>
      expiresAt > now && keySignatures.some((each) => isSignatureOf(keyBytes, each, keyValue)),
  );
  if (!isByRoot) return false;
  const key = parseSigningKey(tryParseJson(signedKey));
  if (key === null || key.expiresAt <= now) return false;
  const bytes = lengthAndValue(sender, recipient, protocolVersion, message);
  return isSignatureOf(bytes, signature, key.keyValue);
}

/** Parses a key and its expiration time. Returns `null` if either is missing or malformed. */
export function parseSigningKey(value: unknown): SigningKey | null {
  const { keyValue, keyExpiration } = toFields(value);
  const isTime = typeof keyExpiration === "string" && /^\d{1,16}$/.test(keyExpiration);
  return typeof keyValue === "string" && isTime ? { keyValue, expiresAt: Number(keyExpiration) } : null;
}

/** Encodes each string in UTF-8, preceded by its length in bytes as a 32-bit little-endian integer. */
function lengthAndValue(...texts: readonly string[]): Buffer {
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
function isSignatureOf(bytes: Buffer, signature: string, keyValue: string): boolean {
  const key = publicKeyIn(keyValue);
  return key !== null && verify("sha256", bytes, key, Buffer.from(signature, "base64"));
}

function publicKeyIn(keyValue: string): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(keyValue, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1" ? key : null;
  } catch {
    return null;
  }
}
