import { isAscii } from "./text.js";

/** Maximum length of a URL that is parsed, in characters. A host with many combining marks on one letter takes quadratic time. */
const MOST = 8_192;

/**
 * Parses a URL; returns `null` if the text isn't one. `URL.canParse` can't be used: once Node 20 has compiled its caller, it
 * refuses names such as `bücher.example`.
 */
export function parseUrl(text: string): URL | null {
  if (text.length > MOST) return null;
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/** Returns whether responses from a URL can't be forged in transit: it uses https, or http on this machine. */
export function isSecureOrLocal({ protocol, hostname }: URL): boolean {
  return (
    protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname))
  );
}

/**
 * Characters that programs read differently: the URL Standard ignores some of them and treats the backslash as a slash, but phones
 * and mail programs don't.
 */
const readDifferently = /[\s\p{Cc}\p{Bidi_Control}<>"\\]/u;

/**
 * Parses a link that readers get exactly as written. Returns `null` if their programs might read it differently than the URL
 * Standard: with invisible characters, a user before the host, or without both slashes of http and https.
 */
export function parseLink(text: string): URL | null {
  const url = readDifferently.test(text) ? null : parseUrl(text);
  if (url === null || url.username !== "" || url.password !== "") return null;
  return /^https?:$/.test(url.protocol) && !/^https?:\/\/[^/]/i.test(text) ? null : url;
}

/** Returns a URL with its host in Punycode and its path percent-encoded, because not all programs accept other scripts in URLs. */
export function asciiUrl(url: string): string {
  return isAscii(url) ? url : new URL(url).href;
}
