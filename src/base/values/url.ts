import { isAscii } from "./text.js";

/** Maximum length of a URL that is parsed, in characters. A host with many combining marks on one letter takes quadratic time. */
const MAX_LENGTH = 8_192;

/**
 * Parses a URL. Returns `null` if the text isn't a valid URL. `URL.canParse` can't be used here, because in Node 20 it rejects
 * hosts such as `bücher.example` after the calling function has been optimized.
 */
export function parseUrl(text: string): URL | null {
  if (text.length > MAX_LENGTH) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Returns whether a URL's responses are safe from tampering in transit, because it uses https or points to this machine. */
export function isSecureOrLocal({ protocol, hostname }: URL): boolean {
  return (
    protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
  );
}

/**
 * Characters that programs read differently: the URL Standard ignores some of them and treats the backslash as a slash, but phones
 * and mail programs don't.
 */
const ambiguousCharacters = /[\s\p{Cc}\p{Bidi_Control}<>"\\]/u;

/**
 * Parses a link that is sent to people exactly as written. Returns `null` if some programs might not interpret the link as the URL
 * Standard does, because it contains whitespace, control characters, a backslash, or credentials (userinfo), or because it doesn't
 * have exactly two slashes after `http:` or `https:`.
 */
export function parseLink(text: string): URL | null {
  const url = ambiguousCharacters.test(text) ? null : parseUrl(text);
  if (url === null || url.username !== "" || url.password !== "") return null;
  return /^https?:$/.test(url.protocol) && !/^https?:\/\/[^/]/i.test(text) ? null : url;
}

/** Converts a URL's host to Punycode and percent-encodes its path, because some programs accept only ASCII in URLs. */
export function asciiUrl(url: string): string {
  return isAscii(url) ? url : new URL(url).href;
}
