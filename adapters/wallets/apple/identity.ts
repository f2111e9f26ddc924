import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { textOrFile } from "../setup.js";
import type { SignatureDigest, Signer } from "./cms-signature.js";

/** The push service's response. */
export interface PushResponse {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /** Apple's reason for refusing the push, or the reason why there was no response. */
  readonly reason: string;
  /** The time at which the push token became invalid, from a 410 response, in milliseconds since the Unix epoch; otherwise `null`. */
  readonly deadSince: number | null;
}

/** Sends one push. */
export type SendPush = (pushToken: string) => Promise<PushResponse>;

/** A developer's certificate and key for signing passes. */
export interface AppleOptions {
  /** The pass type's certificate: PEM text, or the path of a PEM file. */
  readonly certificate: string;
  /** The certificate's private key: PEM text, or the path of a PEM file. */
  readonly key: string;
  readonly passphrase?: string;
  /** Apple's intermediate certificate (Worldwide Developer Relations G4): PEM text, or the path of a PEM file. */
  readonly wwdr: string;
  /** The organization name that Wallet shows on passes. Default: the name in the certificate. */
  readonly organizationName?: string;
  /** The digest algorithm for signatures. Default: SHA-256. */
  readonly digest?: SignatureDigest;
  /** The URL of the push service. Default: Apple's. */
  readonly pushUrl?: string;
  /** Certificates to trust for the push service: PEM text, or the path of a PEM file. Default: Node's. */
  readonly pushCa?: string;
  /** Sends pushes, for tests. Default: sends them to the push service. */
  readonly push?: SendPush;
}

/** A pass type's certificate and key, with the ids and the name from the certificate. */
export interface AppleIdentity extends Signer {
  readonly passTypeId: string;
  readonly teamId: string;
  readonly organizationName: string;
}

/**
 * Loads the certificates and the key. Whether they belong together is left to the setup check.
 * @throws {TypeError} if one of them can't be read, or if the certificate contains no pass type and team. The message names the
 *   option.
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
    throw new TypeError("Apple's certificate is not for a pass type: it names no pass type id and team");
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
 * Returns PEM text, or the content of a PEM file.
 * @throws {TypeError} if there is no such file.
 */
export function readPem(given: string, name: string): string {
  return textOrFile(given, given.includes("-----BEGIN "), `Apple's ${name}`);
}

function certificateIn(given: string, name: string): X509Certificate {
  const pem = readPem(given, name);
  try {
    return new X509Certificate(pem);
  } catch (cause) {
    throw new TypeError(`Apple's ${name} is no certificate in PEM`, { cause });
  }
}

function keyIn({ key: given, passphrase }: AppleOptions): KeyObject {
  const key = readPem(given, "key");
  try {
    return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    // The parser's error is left out, because it may quote the key.
    throw new TypeError(
      "Apple's key can't be read: it is no private key in PEM, or its passphrase is another",
    );
  }
}
