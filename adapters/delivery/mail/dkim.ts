import { createPrivateKey, type KeyObject } from "node:crypto";
import { domainToASCII } from "node:url";
import { readTextFile, stripByteOrderMark } from "../../setup/text-file.js";

/** A key for signing emails with DKIM (RFC 6376). The public key must be published in DNS at `{selector}._domainkey.{domain}`. */
export interface DkimOptions {
  /** The signing domain. Defaults to the domain of the sender's address. */
  readonly domain?: string;
  /** The DKIM selector under which the public key is published in DNS. */
  readonly selector: string;
  /** An RSA private key in PEM format, or the path to a file that contains one. */
  readonly key: string;
}

/** A DKIM signing key that has been loaded and validated. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** The private key in PKCS #8 PEM format. */
  readonly privateKey: string;
  /** The size of the RSA modulus in bits. */
  readonly bits: number;
}

/** Matches one or more domain name labels, separated by dots. */
const DOMAIN_NAME_PATTERN = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * Loads the DKIM key.
 * @param from the sender's address. Its domain is the default signing domain.
 * @throws {TypeError} if the key can't be read or isn't an RSA key, or if the selector or domain is malformed.
 */
export function loadDkimKey(options: DkimOptions, from: string): DkimKey {
  const { selector } = options;
  const domain = options.domain === undefined ? toAsciiDomain(from) : domainToASCII(options.domain);
  if (!DOMAIN_NAME_PATTERN.test(selector))
    throw new TypeError("the DKIM selector must be a name such as loyalty2026");
  if (!DOMAIN_NAME_PATTERN.test(domain)) throw new TypeError("the DKIM domain must be a domain name");
  const key = readPrivateKey(options.key);
  if (key.asymmetricKeyType !== "rsa") throw new TypeError("the DKIM key must be an RSA key");
  return {
    domain,
    selector,
    privateKey: key.export({ type: "pkcs8", format: "pem" }).toString(),
    bits: key.asymmetricKeyDetails?.modulusLength ?? 0,
  };
}

/** Returns an email address's domain as lowercase ASCII (RFC 5891). */
export function toAsciiDomain(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf("@") + 1));
}

function readPrivateKey(value: string): KeyObject {
  const isPem = value.includes("-----BEGIN");
  const pem = isPem ? stripByteOrderMark(value) : readTextFile(value, "the DKIM key file");
  try {
    return createPrivateKey(pem);
  } catch {
    // The parser's error is not attached as a cause, because no part of the key may end up in a log.
    throw new TypeError("the DKIM key must be a private key in PEM format without a passphrase");
  }
}
