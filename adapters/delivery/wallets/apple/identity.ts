import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { textOrFile } from "../setup.js";
import type { SignatureDigest, Signer } from "./cms-signature.js";

/** A response from Apple's push service. */
export interface PushResponse {
  /** The HTTP status, or 0 if there was no response. */
  readonly status: number;
  /** Apple's reason for rejecting the push, or the reason that there was no response. */
  readonly reason: string;
  /**
   * When the push token became invalid according to a 410 response, in milliseconds since the Unix epoch, or `null` for any other
   * response.
   */
  readonly deadSince: number | null;
}

/** Sends a push notification to a phone. */
export type SendPush = (pushToken: string) => Promise<PushResponse>;

/** The certificates and key that sign passes, with settings for signing and pushing. */
export interface AppleOptions {
  /** The pass type's certificate, as PEM text or the path to a PEM file. */
  readonly certificate: string;
  /** The certificate's private key, as PEM text or the path to a PEM file. */
  readonly key: string;
  /** The passphrase of the private key, if it is encrypted. */
  readonly passphrase?: string;
  /** Apple's intermediate certificate (Worldwide Developer Relations G4), as PEM text or the path to a PEM file. */
  readonly wwdr: string;
  /** The organization name that Apple Wallet shows on passes. Default: the name in the certificate. */
  readonly organizationName?: string;
  /** The digest algorithm used for signatures. Default: SHA-256. */
  readonly digest?: SignatureDigest;
  /** The push service's URL. Default: Apple's production service. */
  readonly pushUrl?: string;
  /**
   * The certificates to trust when connecting to the push service, as PEM text or the path to a PEM file. Default: the certificates
   * that Node.js trusts.
   */
  readonly pushCa?: string;
  /** Replaces the function that sends pushes, for tests. Default: pushes go to the push service. */
  readonly push?: SendPush;
}

/** A pass type's certificate and key, along with the IDs and the name read from the certificate. */
export interface AppleIdentity extends Signer {
  readonly passTypeId: string;
  readonly teamId: string;
  readonly organizationName: string;
}

/**
 * Loads the certificates and the key. Doesn't verify that they match, because the setup check does.
 * @throws {TypeError} if a certificate or the key can't be read, or if the certificate doesn't contain a pass type and a team. The
 *   message names the option at fault.
 */
export function loadAppleIdentity(options: AppleOptions): AppleIdentity {
  const certificate = certificateIn(options.certificate, "certificate");
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
    key: keyIn(options),
    intermediate: certificateIn(options.wwdr, "wwdr"),
    digest: options.digest ?? "sha256",
    passTypeId,
    teamId,
    organizationName: options.organizationName ?? subject.get("O") ?? passTypeId,
  };
}

/**
 * Returns PEM text, reading it from a file if a path is given.
 * @param name the option's name, for the error message.
 * @throws {TypeError} if the file doesn't exist.
 */
export function readPem(given: string, name: string): string {
  return textOrFile(given, given.includes("-----BEGIN "), `Apple's ${name}`);
}

function certificateIn(given: string, name: string): X509Certificate {
  const pem = readPem(given, name);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new TypeError(`Apple's ${name} isn't a certificate in PEM format`, { cause });
  }
}

function keyIn({ key: given, passphrase }: AppleOptions): KeyObject {
  const key = readPem(given, "key");
  try {
    return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // The parser's error is left out, because it may quote the key.
    throw new TypeError(
      "Apple's key can't be read: it isn't a private key in PEM format, or the passphrase is wrong",
    );
  }
}
