import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readTextOrFile } from "../setup.js";
import type { SignatureDigest, Signer } from "./cms-signature.js";

/** The response from Apple's push service, or the reason there was none. */
export interface PushResponse {
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** Apple's reason for rejecting the push, or the reason there was no response. */
  readonly reason: string;
  /** When the push token became invalid, in milliseconds since the Unix epoch. `null` unless the status is 410. */
  readonly deadSince: number | null;
}

/**
 * Sends a push to the device with this push token. Must not reject. If Apple doesn't respond, resolves to a `PushResponse` with
 * status 0.
 */
export type SendPush = (pushToken: string) => Promise<PushResponse>;

/** The certificates and key for signing Apple passes, and the settings for signatures and pushes. */
export interface AppleOptions {
  /** The pass type's certificate, as PEM text or the path to a PEM file. */
  readonly certificate: string;
  /** The certificate's private key, as PEM text or the path to a PEM file. */
  readonly key: string;
  /** The passphrase of the private key, if it is encrypted. */
  readonly passphrase?: string;
  /** Apple's intermediate certificate (Worldwide Developer Relations G4), as PEM text or the path to a PEM file. */
  readonly wwdr: string;
  /**
   * The organization name that Apple Wallet shows on a shop's passes if the shop hasn't set its own name. Default: the organization
   * name in the certificate.
   */
  readonly organizationName?: string;
  /** The digest algorithm used for signatures. Default: SHA-256. */
  readonly digest?: SignatureDigest;
  /** The push service's URL. Default: Apple's production service. */
  readonly pushUrl?: string;
  /**
   * The certificate authorities to trust when connecting to the push service, as PEM text or the path to a PEM file. Default: the
   * authorities that Node.js trusts.
   */
  readonly pushCa?: string;
  /** Replaces the function that sends pushes, for tests. By default, pushes are sent to Apple's push service. */
  readonly push?: SendPush;
}

/** A loaded pass type certificate and key, along with the IDs and the name read from the certificate. */
export interface AppleIdentity extends Signer {
  readonly passTypeId: string;
  readonly teamId: string;
  readonly organizationName: string;
}

/**
 * Loads the certificates and the key. Doesn't verify that the key matches the certificate, because the setup check does that.
 * @throws {TypeError} if a certificate or the key can't be read, or if the certificate doesn't contain a pass type ID and a team
 *   ID. The message names the invalid option.
 */
export function loadAppleIdentity(options: AppleOptions): AppleIdentity {
  const certificate = parseCertificate(options.certificate, "certificate");
  const subject = new Map(
    certificate.subject.split("\n").map((line) => {
      const [name = "", ...value] = line.split("=");
      return [name, value.join("=")] as const;
    }),
  );
  const passTypeId = subject.get("UID") ?? "";
  const teamId = subject.get("OU") ?? "";
  if (!/^pass\.[\w.-]{1,250}$/.test(passTypeId) || !/^\w{1,64}$/.test(teamId)) {
    throw new TypeError("Apple's certificate isn't a pass type certificate: it has no pass type ID and team");
  }
  return {
    certificate,
    key: parseKey(options),
    intermediate: parseCertificate(options.wwdr, "wwdr"),
    digest: options.digest ?? "sha256",
    passTypeId,
    teamId,
    organizationName: options.organizationName ?? subject.get("O") ?? passTypeId,
  };
}

/**
 * Returns PEM text, reading it from a file if the option is a path.
 * @param name the option's name, for the error message.
 * @throws {TypeError} if the option is a path to a file that doesn't exist.
 */
export function readPem(value: string, name: string): string {
  return readTextOrFile(value, value.includes("-----BEGIN "), `Apple's ${name}`);
}

function parseCertificate(value: string, name: string): X509Certificate {
  const pem = readPem(value, name);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new TypeError(`Apple's ${name} isn't a certificate in PEM format`, { cause });
  }
}

function parseKey({ key: value, passphrase }: AppleOptions): KeyObject {
  const key = readPem(value, "key");
  try {
    return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // The parser's error is left out, because it may quote the key.
    throw new TypeError(
      "Apple's key can't be read: it isn't a private key in PEM format, or the passphrase is wrong",
    );
  }
}
