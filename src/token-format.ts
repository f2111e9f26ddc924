import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { base62Of, randomBase62 } from "./base62.js";

const MARK = "lk_";
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = MARK.length + 6;

const form = new RegExp(`^${MARK}[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new API token: a mark that secret scanners can find, 190 random bits, and a checksum. */
export function newToken(): string {
  const body = MARK + randomBase62(SECRET_LENGTH);
  return body + checksumOf(body);
}

/** Refuses what was mistyped, cut short or made up before anything is looked up. */
export function isWellFormedToken(token: string): boolean {
  if (!form.test(token)) return false;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  return token.slice(-CHECKSUM_LENGTH) === checksumOf(body);
}

/** All that is kept of a token. Its randomness makes a plain SHA-256 enough: there is nothing to guess. */
export function hashOfToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The part of a token that may be shown, for people to tell tokens apart. */
export function prefixOfToken(token: string): string {
  return token.slice(0, SHOWN_LENGTH);
}

/** CRC-32 in base62: six digits hold 32 bits. */
function checksumOf(body: string): string {
  return base62Of(crc32(body), CHECKSUM_LENGTH);
}
