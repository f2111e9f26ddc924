import { parseUrl } from "./url.js";

/** Base URLs for the short links in QR codes, without trailing slashes. */
export interface ShortLinkBases {
  /** Base URL for new links. */
  readonly current: string;
  /** Previous base URLs. Links that use them stay valid because they might already be printed. */
  readonly previous: readonly string[];
}

/**
 * Validates the base URLs and removes their trailing slashes.
 * @throws {TypeError} if a base URL isn't an http or https link that phones can open, or if it has a query or fragment, because an
 *   appended code wouldn't be part of the path.
 */
export function shortLinkBases(current: string, previous: readonly string[]): ShortLinkBases {
  for (const base of [current, ...previous]) {
    if (!canBeBase(base)) throw new TypeError(`shortLinkBase must not have a query or fragment: ${base}`);
    if (!isWebLink(base)) throw new TypeError(`shortLinkBase must begin with https:// or http://: ${base}`);
  }
  return { current: withoutSlash(current), previous: previous.map(withoutSlash) };
}

/** Returns whether a base URL has no query or fragment, so that an appended code becomes part of the path. */
export function canBeBase(text: string): boolean {
  return !/[?#]/.test(text);
}

function isWebLink(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text);
}

const loopback = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?(?=\/|$)/i;

/** Returns whether a link points to a loopback address and therefore works only on the machine that serves it. */
export function isLoopbackLink(link: string): boolean {
  return loopback.test(link);
}

/** Path at which `serve` serves card pages, on any host and port. */
const SERVED_PATH = "/c";

/** Returns the URL of the server whose card pages have this base URL, or `null` if they aren't at the path that `serve` uses. */
export function findServerUrl(base: string): string | null {
  return base.endsWith(SERVED_PATH) ? base.slice(0, -SERVED_PATH.length) : null;
}

/** Returns the short link for a code, encoded so that mail programs make the whole link clickable. */
export function linkTo(base: string, code: string): string {
  return `${base}/${encodeURI(code)}`;
}

/**
 * Extracts the pass code from scanned text, which is either the code itself or a link under one of the known base URLs. If the
 * base URL points to this machine, as in a trial setup, any port is accepted, so that cards stay valid when the port changes.
 * Ignores whitespace added by scanners; a slash, query, or fragment added by link tools; percent-encoding added by browsers; and
 * differences in how the link's scheme and host are written (RFC 3986, section 6.2.2).
 * @returns the code, or `null` if the link's base URL is unknown.
 */
export function extractPassCode(scanned: string, { current, previous }: ShortLinkBases): string | null {
  const { base, code } = splitLink(scanned);
  if (base === null) return code;
  const isOurs = [current, ...previous].some(
    (ownBase) => ownBase === base || toComparable(ownBase) === toComparable(base),
  );
  return isOurs || isOfTrial(base) ? code : null;
}

/** Extracts the code from scanned text, like {@link extractPassCode}, but accepts links with any base URL. */
export function bareCode(scanned: string): string {
  return splitLink(scanned).code;
}

function splitLink(scanned: string): { readonly base: string | null; readonly code: string } {
  const link = withoutSlash(withoutQuery(decoded(withoutQuery(scanned)).trim()));
  const end = link.lastIndexOf("/");
  return { base: end === -1 ? null : link.slice(0, end), code: link.slice(end + 1) };
}

function withoutQuery(link: string): string {
  return link.split(/[?#]/, 1)[0] ?? "";
}

/** Decodes percent-encoded UTF-8; returns any other text as is. No code contains a percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isOfTrial(base: string): boolean {
  return isLoopbackLink(base) && base.replace(loopback, "") === SERVED_PATH;
}

function withoutSlash(link: string): string {
  return link.endsWith("/") ? link.slice(0, -1) : link;
}

function toComparable(link: string): string {
  return parseUrl(decoded(link))?.href ?? link;
}

/**
 * Matches a pass's code, whether generated here or imported from another program. A code is a single URL path segment that needs
 * no decoding.
 */
export const passCodeForm = /^[^\s/?#%\\\p{C}]{1,64}$/u;

/** Returns whether a string is a valid code for a pass. Rejects `.` and `..`, because URL parsers remove them from paths. */
export function isPassCode(text: string): boolean {
  return passCodeForm.test(text) && text !== "." && text !== "..";
}

/** The 62 digits of a code, in ascending order. */
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE = BigInt(DIGITS.length);

/** Number of digits for 122 bits: a version 7 UUID without its version and variant. */
const LENGTH = 21;

const idForm = /^tpl_([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/;

/**
 * Encodes a template's ID as the 21-character alphanumeric code used in short links. Returns `null` if the ID isn't a version 7
 * UUID.
 */
export function encodeJoinCode(templateId: string): string | null {
  const [, high, middle, version, variant, low] = idForm.exec(templateId) ?? [];
  if (variant === undefined) return null;
  const rest = (BigInt(`0x${variant}`) & 0x3fffn).toString(16).padStart(4, "0");
  let value = (BigInt(`0x${high}${middle}${version}`) << 62n) | BigInt(`0x${rest}${low}`);
  let code = "";
  for (let at = 0; at < LENGTH; at += 1) {
    code = (DIGITS[Number(value % BASE)] ?? "") + code;
    value /= BASE;
  }
  return code;
}

/** Decodes a join code to its template's ID. Returns `null` if the code is invalid. */
export function decodeJoinCode(code: string): string | null {
  if (!/^[0-9A-Za-z]{21}$/.test(code)) return null;
  let value = 0n;
  for (const digit of code) value = value * BASE + BigInt(DIGITS.indexOf(digit));
  if (value >> 122n !== 0n) return null;
  const head = (value >> 62n).toString(16).padStart(15, "0");
  const tail = ((value & ((1n << 62n) - 1n)) | (1n << 63n)).toString(16).padStart(16, "0");
  const groups = [head.slice(0, 8), head.slice(8, 12), `7${head.slice(12)}`, tail.slice(0, 4), tail.slice(4)];
  return `tpl_${groups.join("-")}`;
}
