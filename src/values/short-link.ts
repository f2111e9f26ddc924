import { parseUrl } from "./url.js";

/** Base URLs of the short links in QR codes, without a trailing slash. */
export interface ShortLinkBases {
  /** Base of new links. */
  readonly current: string;
  /** Previous bases, which appear in links that are already printed. */
  readonly former: readonly string[];
}

/**
 * Validates the bases and removes trailing slashes.
 * @throws {TypeError} if a base isn't an http or https link that phones open, or has a query or fragment, in which a code appended
 *   to it would be lost.
 */
export function shortLinkBases(current: string, former: readonly string[]): ShortLinkBases {
  for (const base of [current, ...former]) {
    if (!canBeBase(base)) throw new TypeError(`shortLinkBase must not have a query or fragment: ${base}`);
    if (!isWebLink(base)) throw new TypeError(`shortLinkBase must begin with https:// or http://: ${base}`);
  }
  return { current: withoutSlash(current), former: former.map(withoutSlash) };
}

/** Returns whether a link made of this base and a code has the code in its path. */
export function canBeBase(text: string): boolean {
  return !/[?#]/.test(text);
}

function isWebLink(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text);
}

const loopback = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?(?=\/|$)/i;

/** Returns whether a link points to the machine on which it is opened. */
export function isLoopbackLink(link: string): boolean {
  return loopback.test(link);
}

/** Path at which `serve` serves card pages, on any host and port. */
const SERVED_PATH = "/c";

/** Returns the link for a code, encoded so that mail programs link all of it. */
export function linkTo(base: string, code: string): string {
  return `${base}/${encodeURI(code)}`;
}

/**
 * Returns the pass code in scanned text: the text itself, or the last segment of a link under one of the known bases. A trial's
 * link to this machine is accepted with any port, so that its cards stay valid when the port changes. Scanners add spaces and line
 * breaks, link tools add a slash, query or fragment, and browsers percent-encode. All of that is ignored, as is the spelling of the
 * link's scheme and host (RFC 3986, section 6.2.2).
 * @returns `null` if the link's base is unknown.
 */
export function extractPassCode(scanned: string, { current, former }: ShortLinkBases): string | null {
  const { base, code } = splitLink(scanned);
  if (base === null) return code;
  const isOurs = [current, ...former].some((ours) => ours === base || comparable(ours) === comparable(base));
  return isOurs || isOfTrial(base) ? code : null;
}

/** Returns the code in scanned text, whatever its link's base is. */
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

function comparable(link: string): string {
  return parseUrl(decoded(link))?.href ?? link;
}
