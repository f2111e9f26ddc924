import { isIP } from "node:net";
import { parseUrl } from "../../../../src/values/url.js";

/** The site to which passkeys are bound. */
export interface PasskeySite {
  /** The origin that browsers report, such as `https://shop.example`. */
  readonly origin: string;
  /** The origin's host name, to which passkeys are bound: WebAuthn's relying party id. */
  readonly rpId: string;
}

/**
 * Parses a console's origin.
 * @throws {TypeError} if browsers don't create passkeys there: over http, except on `localhost`, and at an IP address.
 */
export function passkeySite(given: string): PasskeySite {
  const url = parseUrl(given);
  const isLocal = url?.protocol === "http:" && /^(?:.+\.)?localhost$/.test(url.hostname);
  const host = url?.hostname ?? "";
  if (
    url?.origin !== given ||
    !(url.protocol === "https:" || isLocal) ||
    isIP(host.replace(/[[\]]/g, "")) > 0
  ) {
    throw new TypeError(
      "passkeys need an origin such as https://shop.example: of https, or http://localhost, without a path, and with a name in place of an IP address",
    );
  }
  return { origin: given, rpId: host };
}
