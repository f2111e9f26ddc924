import { urlOf } from "../../src/values/url.js";

/** The machine of the browser itself. */
const loopback: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The name of the server, and the URL under which its paths stand (RFC 8414, section 2).
 * @throws {TypeError} when it can't be one: it is an https URL, or an http URL of localhost, without query, fragment and
 *   slash at its end, written as a browser writes it.
 */
export function checkedIssuer(text: string): string {
  const url = urlOf(text);
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && loopback.includes(url.hostname));
  const isPlain = url !== null && text === `${url.origin}${url.pathname === "/" ? "" : url.pathname}`;
  if (!isSafe || !isPlain || text.endsWith("/")) {
    throw new TypeError(
      "issuer must be an https URL, or an http URL of localhost, without query, fragment and slash at its end",
    );
  }
  return text;
}
