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
