import { isAscii } from "./text.js";

/** The longest URL that is parsed. A host with many marks on one letter takes time that grows with the square of its length. */
const MOST = 8_192;

/**
 * Parses a URL; returns `null` for any other text. `URL.canParse` doesn't work: once Node 20 has compiled its caller, it refuses
 * names such as `bücher.example`.
 */
export function parseUrl(text: string): URL | null {
  if (text.length > MOST) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Returns whether a response from a URL can't be forged: it uses https, or http on this machine. */
export function isSecureOrLocal({ protocol, hostname }: URL): boolean {
  return (
    protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
  );
}

/** The URL Standard passes over some of these, and takes the backslash for a slash; phones and mail programs don't. */
const readDifferently = /[\s\p{Cc}\p{Bidi_Control}<>"\\]/u;

/**
 * Parses a link that is copied to its readers as it was written; `null` if they might see another one than the URL Standard does:
 * with invisible characters, a user before the host, or without both slashes of http and https.
 */
export function parseLink(text: string): URL | null {
  const url = readDifferently.test(text) ? null : parseUrl(text);
  if (url === null || url.username !== "" || url.password !== "") return null;
  return /^https?:$/.test(url.protocol) && !/^https?:\/\/[^/]/i.test(text) ? null : url;
}

/** Returns a URL with its host in Punycode and its path percent-encoded, because not all programs take other scripts there. */
export function asciiUrl(url: string): string {
  return isAscii(url) ? url : new URL(url).href;
}
