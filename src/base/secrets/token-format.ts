import { hash, randomInt, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

/** The prefix of each kind of token, by which people and secret scanners recognize it. */
const prefixes = {
  /** An API token. */
  api: "lk_",
  /** An app's client secret. */
  secret: "lks_",
  /** An authorization code, which an app exchanges for its grant's tokens. */
  code: "lkc_",
  access: "lko_",
  refresh: "lkr_",
} as const;

export type TokenKind = keyof typeof prefixes;

const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const VISIBLE_LENGTH = 6;

const kinds: ReadonlyMap<string, TokenKind> = new Map([
  [prefixes.api, "api"],
  [prefixes.secret, "secret"],
  [prefixes.code, "code"],
  [prefixes.access, "access"],
  [prefixes.refresh, "refresh"],
]);

/** The format of all tokens, as the source of a regular expression. Its first group matches the prefix. */
export const TOKEN_FORM = `(lk[a-z]?_)[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`;

const tokenPattern = new RegExp(`^${TOKEN_FORM}$`);

/** Creates a token: a prefix that secret scanners recognize, followed by 190 random bits and a checksum. */
export function newToken(kind: TokenKind): string {
  const body = prefixes[kind] + randomBase62(SECRET_LENGTH);
  return body + computeChecksum(body);
}

/** Returns a token's kind, based only on the token's format, or `null` if the token was mistyped, truncated, or made up. */
export function kindOfToken(token: string): TokenKind | null {
  const [, prefix = ""] = tokenPattern.exec(token) ?? [];
  const kind = kinds.get(prefix);
  if (kind === undefined) return null;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  return token.slice(-CHECKSUM_LENGTH) === computeChecksum(body) ? kind : null;
}

/** Returns the hash that is stored instead of a token. A plain SHA-256 is enough, because random tokens can't be guessed. */
export function hashOfToken(token: string): string {
  return hash("sha256", token);
}

/** Returns the beginning of a token, for display, so that people can tell tokens apart. */
export function prefixOfToken(token: string): string {
  return token.slice(0, token.indexOf("_") + 1 + VISIBLE_LENGTH);
}

/** Returns the CRC-32 in base62, as six digits. */
function computeChecksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Returns a random base62 string. Each character is drawn uniformly from a cryptographically secure source. */
export function randomBase62(length: number): string {
  let text = "";
  for (let at = 0; at < length; at += 1) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** Encodes an integer of up to 32 bits in base62, padded with zeros to `length`. */
export function toBase62(value: number, length: number): string {
  let text = "";
  for (let remaining = value; remaining > 0; remaining = Math.floor(remaining / ALPHABET.length)) {
    text = ALPHABET[remaining % ALPHABET.length] + text;
  }
  return text.padStart(length, "0");
}

export interface ReadToken {
  readonly kind: TokenKind;
  readonly hash: string;
}

/** Maximum number of cached tokens: more than are normally in use at the same time. */
const MAX_CACHED = 1_000;

/**
 * Recently read tokens, cached because requests present the same tokens repeatedly. A token in this cache need not exist
 * in storage.
 */
const recentTokens = new Map<string, ReadToken>();

/** Returns the kind and hash of a token, or `null` if it can't be a token. Recently used tokens are cached. */
export function readToken(token: unknown): ReadToken | null {
  if (typeof token !== "string") return null;
  const cached = recentTokens.get(token);
  if (cached !== undefined) return cached;
  const kind = kindOfToken(token);
  if (kind === null) return null;
  const parsedToken = { kind, hash: hashOfToken(token) };
  if (recentTokens.size >= MAX_CACHED) recentTokens.clear();
  recentTokens.set(token, parsedToken);
  return parsedToken;
}

/** Compares strings in constant time. The time can still reveal whether their lengths differ. */
export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
