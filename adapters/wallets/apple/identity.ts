import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { textOrFile } from "../setup.js";
import type { SignatureDigest, Signer } from "./cms-signature.js";

/** The push service's response. */
export interface PushResponse {
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Apple's word for a refusal, or why there was no answer. */
  readonly reason: string;
  /** The time at which the push token became invalid, from a 410 response, in milliseconds since the Unix epoch; otherwise `null`. */
  readonly deadSince: number | null;
}

/** Sends one push. */
export type SendPush = (pushToken: string) => Promise<PushResponse>;

/** A developer's certificate and key for passes. */
export interface AppleOptions {
  /** The certificate of the pass type: PEM text, or the name of a PEM file. */
  readonly certificate: string;
  /** Its private key, likewise. */
  readonly key: string;
  readonly passphrase?: string;
  /** Apple's intermediate certificate (Worldwide Developer Relations G4), likewise. */
  readonly wwdr: string;
  /** Whose passes these are, as the wallet shows it. Default: the name in the certificate. */
  readonly organizationName?: string;
  /** The digest of signatures. Default: SHA-256. */
  readonly digest?: SignatureDigest;
  /** The URL of the push service. Default: Apple's. */
  readonly pushUrl?: string;
  /** The certificates that the push service is trusted by, as PEM or a file. Default: Node's. */
  readonly pushCa?: string;
  /** Sends pushes, for tests. Default: a connection to the push service does. */
  readonly push?: SendPush;
}

/** The certificate of a pass type with all that follows from it. */
export interface AppleIdentity extends Signer {
  readonly passTypeId: string;
  readonly teamId: string;
  readonly organizationName: string;
}

/**
 * Reads certificates and key. The doctor checks that they fit each other.
 * @throws {TypeError} saying which of them can't be read, or names no pass type and team.
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

/** Returns PEM text, or the text of a PEM file. @throws {TypeError} if there is no such file. */
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
    // The cause may quote the key.
    throw new TypeError(
      "Apple's key can't be read: it is no private key in PEM, or its passphrase is another",
    );
  }
}
