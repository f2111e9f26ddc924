/** What the short links in QR codes begin with, none with a slash at its end. */
export interface ShortLinkBases {
  /** Of new links. */
  readonly current: string;
  /** Of links that were printed before. */
  readonly former: readonly string[];
}

/** @param bases as a host gives them. */
export function shortLinkBases(current: string, former: readonly string[]): ShortLinkBases {
  return { current: withoutSlash(current), former: former.map(withoutSlash) };
}

/**
 * The code of a pass in a scanned text: the text itself, or the last segment of a link under one of our bases. Scanners
 * add spaces and line ends, link tools a slash, a query or a fragment: those do not count, nor does the case of the
 * link's scheme and host (RFC 3986, section 6.2.2.1).
 * @returns `null` for a link under a base that is not ours.
 */
export function codeIn(scanned: string, { current, former }: ShortLinkBases): string | null {
  const [link = ""] = scanned.trim().split(/[?#]/, 1);
  const path = withoutSlash(link);
  const end = path.lastIndexOf("/");
  if (end === -1) return path;
  const base = comparable(path.slice(0, end));
  return [current, ...former].some((ours) => comparable(ours) === base) ? path.slice(end + 1) : null;
}

function withoutSlash(link: string): string {
  return link.endsWith("/") ? link.slice(0, -1) : link;
}

function comparable(link: string): string {
  return link.replace(/^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]*/i, (origin) => origin.toLowerCase());
}
