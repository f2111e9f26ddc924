import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** Each kind of token begins with its mark, by which people and secret scanners recognize it. */
const marks = {
  /** A token of the API. */
  api: "lk_",
  /** The secret of an app. */
  secret: "lks_",
  /** An authorization code, which an app exchanges for the tokens of its grant. */
  code: "lkc_",
  access: "lko_",
  refresh: "lkr_",
} as const;

export type TokenKind = keyof typeof marks;

const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHOWN_LENGTH = 6;

const kinds: ReadonlyMap<string, TokenKind> = new Map([
  [marks.api, "api"],
  [marks.secret, "secret"],
  [marks.code, "code"],
  [marks.access, "access"],
  [marks.refresh, "refresh"],
]);

/** The form of every token, as the source of a regular expression whose first group is the mark. */
export const TOKEN_FORM = `(lk[a-z]?_)[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`;

const form = new RegExp(`^${TOKEN_FORM}$`);

/** A new token: a mark that secret scanners can find, 190 random bits, and a checksum. */
export function newToken(kind: TokenKind): string {
  const body = marks[kind] + randomBase62(SECRET_LENGTH);
  return body + computeChecksum(body);
}

/** Returns the kind of a token by its form alone; `null` if it was mistyped, cut short or made up. */
export function kindOfToken(token: string): TokenKind | null {
  const [, mark = ""] = form.exec(token) ?? [];
  const kind = kinds.get(mark);
  if (kind === undefined) return null;
  const body = token.slice(0, -CHECKSUM_LENGTH);
  return token.slice(-CHECKSUM_LENGTH) === computeChecksum(body) ? kind : null;
}

/** All that is kept of a token. Its randomness makes a plain SHA-256 enough: there is nothing to guess. */
export function hashOfToken(token: string): string {
  return hash("sha256", token);
}

/** The part of a token that may be shown, for people to tell tokens apart. */
export function prefixOfToken(token: string): string {
  return token.slice(0, token.indexOf("_") + 1 + SHOWN_LENGTH);
}

/** CRC-32 in base62: six digits hold 32 bits. */
function computeChecksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Random base62 text, each character drawn evenly from a secure source. */
export function randomBase62(length: number): string {
  let text = "";
  for (let at = 0; at < length; at += 1) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

/** Writes an integer of up to 32 bits in base62, padded with zeros to `length`. */
export function toBase62(value: number, length: number): string {
  let text = "";
  for (let left = value; left > 0; left = Math.floor(left / ALPHABET.length)) {
    text = ALPHABET[left % ALPHABET.length] + text;
  }
  return text.padStart(length, "0");
}

export interface ReadToken {
  readonly kind: TokenKind;
  readonly hash: string;
}

/** More tokens than are in use at the same time. */
const MOST = 1_000;

/** The tokens that came last, since requests bring the same ones again and again; a token in here need not be stored. */
const recent = new Map<string, ReadToken>();

/** Reads a token in less time than its form and its hash take, when it came before; `null` for what can't be one. */
export function readToken(token: unknown): ReadToken | null {
  if (typeof token !== "string") return null;
  const known = recent.get(token);
  if (known !== undefined) return known;
  const kind = kindOfToken(token);
  if (kind === null) return null;
  const read = { kind, hash: hashOfToken(token) };
  if (recent.size >= MOST) recent.clear();
  recent.set(token, read);
  return read;
}
