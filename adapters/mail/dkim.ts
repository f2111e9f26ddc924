import { createPrivateKey, type KeyObject } from "node:crypto";
import { domainToASCII } from "node:url";
import { readTextFile, withoutMark } from "../setup/text-file.js";

/** A key to sign mails with (DKIM, RFC 6376), and where its public half is in the DNS: `{selector}._domainkey.{domain}`. */
export interface DkimOptions {
  /** The signing domain. Default: the domain of the sender's address. */
  readonly domain?: string;
  readonly selector: string;
  /** An RSA private key as PEM, or the path of its file. */
  readonly key: string;
}

/** A key that can sign. */
export interface DkimKey {
  readonly domain: string;
  readonly selector: string;
  /** PKCS #8, as PEM. */
  readonly privateKey: string;
  /** The length of the key's modulus. */
  readonly bits: number;
}

/** A label of a domain name, or several with dots between them. */
const NAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

/** Reads the key. @throws {TypeError} if it can't be read, is none of RSA, or the selector or domain is malformed. */
export function loadDkimKey(options: DkimOptions, from: string): DkimKey {
  const { selector } = options;
  const domain = options.domain === undefined ? toAsciiDomain(from) : domainToASCII(options.domain);
  if (!NAME.test(selector)) throw new TypeError("the DKIM selector must be a name such as loyalty2026");
  if (!NAME.test(domain)) throw new TypeError("the DKIM domain must be the name of a domain");
  const key = readPrivateKey(options.key);
  if (key.asymmetricKeyType !== "rsa") throw new TypeError("the DKIM key must be an RSA key");
  return {
    domain,
    selector,
    privateKey: key.export({ type: "pkcs8", format: "pem" }).toString(),
    bits: key.asymmetricKeyDetails?.modulusLength ?? 0,
  };
}

/** The part of an address after its `@`, in lower case and in ASCII (RFC 5891). */
export function toAsciiDomain(address: string): string {
  return domainToASCII(address.slice(address.lastIndexOf("@") + 1));
}

function readPrivateKey(given: string): KeyObject {
  const isText = given.includes("-----BEGIN");
  const pem = isText ? withoutMark(given) : readTextFile(given, "the file of the DKIM key");
  try {
    return createPrivateKey(pem);
  } catch {
    // The error of the parser is no cause of this one: nothing of a key belongs into a log.
    throw new TypeError("the DKIM key must be a private key as PEM, without a passphrase");
  }
}
