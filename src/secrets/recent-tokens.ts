import { hashOfToken, kindOfToken, type TokenKind } from "./token-format.js";

/** What a token tells by itself. */
export interface ReadToken {
  readonly kind: TokenKind;
  readonly hash: string;
}

/** More than are in use at once. */
const MOST = 1_000;

/** Those that came last: requests bring the same ones along again and again. Whether they are stored, nothing here says. */
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
