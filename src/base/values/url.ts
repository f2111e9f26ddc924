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

/** Maximum length of an app's redirect URI, in characters. */
export const MAX_REDIRECT_URI_LENGTH = 2_000;

/** A path and an optional query, without characters that parsers might read differently. */
const rest = String.raw`[\x21\x24-\x3b\x3d\x3f-\x5b\x5d\x5f\x61-\x7a\x7e%]*`;

/** Scheme, host and port, then the path and query. */
const webUri = new RegExp(
  String.raw`^(https?):\/\/((?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)|\[[0-9a-f:.]+\])(:[0-9]{1,5})?(?:(?=[/?])${rest})?$`,
);

/** A reversed domain name of the app's vendor, followed by a single slash because there is no host (RFC 8252, section 7.1). */
const privateUse = new RegExp(String.raw`^[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+:\/(?!\/)${rest}$`);

/** A program on the browser's machine. Its port can differ each time (RFC 8252, section 7.3). */
const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::[1-9][0-9]{0,4})?(?=[/?]|$)/;

const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * Returns whether an app can register a redirect URI. It can be an https URI, an http URI on the browser's own machine, or a URI
 * with a private-use scheme for an app on a device.
 */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_REDIRECT_URI_LENGTH || parseUrl(text) === null) return false;
  const [, scheme, host = ""] = webUri.exec(text) ?? [];
  return (
    scheme === "https" || (scheme === "http" && loopbackHosts.includes(host)) || isOfPrivateUseScheme(text)
  );
}

/**
 * Returns whether a redirect URI uses a private-use scheme, such as `com.example.app:/callback`. Any app on the device can claim
 * such a scheme.
 */
export function isOfPrivateUseScheme(redirectUri: string): boolean {
  return privateUse.test(redirectUri);
}

/**
 * Returns whether a URI exactly matches one of an app's registered redirect URIs. For `http://127.0.0.1` and `http://[::1]`, a
 * public app can use a different port than it registered, because it can't choose its port (RFC 8252, section 7.3).
 */
export function isRegisteredRedirectUri(
  { redirectUris, isPublic }: { readonly redirectUris: readonly string[]; readonly isPublic: boolean },
  requested: string,
): boolean {
  if (redirectUris.includes(requested)) return true;
  if (!isPublic || !loopbackPort.test(requested) || !isRedirectUri(requested)) return false;
  return redirectUris.some((uri) => withoutPort(uri) === withoutPort(requested));
}

function withoutPort(redirectUri: string): string {
  return redirectUri.replace(loopbackPort, "$1");
}
