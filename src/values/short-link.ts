import { parseUrl } from "./url.js";

/** The bases of short links in QR codes, without a trailing slash. */
export interface ShortLinkBases {
  /** New links begin with it. */
  readonly current: string;
  /** Links that were printed before begin with these. */
  readonly former: readonly string[];
}

/**
 * @param bases as a host gives them.
 * @throws {TypeError} for one that no phone opens as a link, or with a query or a fragment, in which a code behind it would be lost.
 */
export function shortLinkBases(current: string, former: readonly string[]): ShortLinkBases {
  for (const base of [current, ...former]) {
    if (!canBeBase(base)) throw new TypeError(`shortLinkBase must not have a query or fragment: ${base}`);
    if (!isWebLink(base)) throw new TypeError(`shortLinkBase must begin with https:// or http://: ${base}`);
  }
  return { current: withoutSlash(current), former: former.map(withoutSlash) };
}

/** Returns whether a link of this text and a code keeps the code in its path. */
export function canBeBase(text: string): boolean {
  return !/[?#]/.test(text);
}

function isWebLink(text: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(text);
}

const loopback = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{1,5})?(?=\/|$)/i;

/** Returns whether a link leads to whichever machine it is opened on. */
export function isLoopbackLink(link: string): boolean {
  return loopback.test(link);
}

/** The path of the card pages that `serve` has, wherever it listens. */
const SERVED_PATH = "/c";

/** Returns the link to a code, as a URL that programs for mail link whole. */
export function linkTo(base: string, code: string): string {
  return `${base}/${encodeURI(code)}`;
}

/**
 * The code of a pass in a scanned text: the text itself, or the last segment of a link under one of our bases. A link to this
 * machine is one of ours whatever its port, so that cards of a trial stay good when the port changes. Scanners add spaces and line
 * ends, link tools a slash, a query or a fragment, and browsers encode: none of it counts, nor does the spelling of the link's scheme
 * and host (RFC 3986, section 6.2.2).
 * @returns `null` for a link under a base that is not ours.
 */
export function extractPassCode(scanned: string, { current, former }: ShortLinkBases): string | null {
  const { base, code } = splitLink(scanned);
  if (base === null) return code;
  const isOurs = [current, ...former].some((ours) => ours === base || comparable(ours) === comparable(base));
  return isOurs || isOfTrial(base) ? code : null;
}

/** Returns the code in a scanned text, whatever link it stands in. */
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

/** Returns a text without percent-encoding, where it is one of UTF-8. No code has a percent sign. */
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
