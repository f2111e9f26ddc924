import { isIP } from "node:net";
import { parseUrl } from "../../../../../src/base/values/url.js";

/** The website that passkeys are bound to. */
export interface PasskeySite {
  /** The origin that browsers report when a passkey is used, such as `https://shop.example`. */
  readonly origin: string;
  /** The origin's host name, which serves as the relying party ID in WebAuthn. Passkeys are bound to it. */
  readonly rpId: string;
}

/**
 * Parses the console's origin.
 * @throws {TypeError} if browsers can't create passkeys for the origin because its host is an IP address, or because it uses HTTP
 *   on a host other than `localhost`.
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
