/** The short links in QR codes begin with one of these, none of which ends with a slash. */
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
    if (!canBeBase(base)) throw new TypeError(`a base of short links has no query and no fragment: ${base}`);
    if (!isWebLink(base))
      throw new TypeError(`a base of short links begins with https:// or http://: ${base}`);
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

/**
 * The code of a pass in a scanned text: the text itself, or the last segment of a link under one of our bases. A link to this
 * machine is one of ours whatever its port, so that cards of a trial stay good when the port changes. Scanners add spaces and line ends, link tools a slash, a query or a fragment: those do not count, nor does the case of the
 * link's scheme and host (RFC 3986, section 6.2.2.1).
 * @returns `null` for a link under a base that is not ours.
 */
export function codeIn(scanned: string, { current, former }: ShortLinkBases): string | null {
  const [link = ""] = scanned.trim().split(/[?#]/, 1);
  const path = withoutSlash(link);
  const end = path.lastIndexOf("/");
  if (end === -1) return path;
  const base = path.slice(0, end);
  const bases = [current, ...former].map(comparable);
  const isOurs = bases.includes(comparable(base)) || isOfTrial(base);
  return isOurs ? path.slice(end + 1) : null;
}

function isOfTrial(base: string): boolean {
  return isLoopbackLink(base) && base.replace(loopback, "") === SERVED_PATH;
}

function withoutSlash(link: string): string {
  return link.endsWith("/") ? link.slice(0, -1) : link;
}

function comparable(link: string): string {
  return link.replace(/^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]*/i, (origin) => origin.toLowerCase());
}
