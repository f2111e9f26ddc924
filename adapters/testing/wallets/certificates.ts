import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import {
  contextTag,
  element,
  encodeSet,
  nothing,
  objectIdentifier,
  octets,
  sequence,
  smallInteger,
  utcTime,
} from "../../delivery/wallets/apple/der.js";

/* A minimal implementation of X.509 certificates (RFC 5280) for tests. */

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;

const ids = {
  sha256WithRsa: "1.2.840.113549.1.1.11",
  basicConstraints: "2.5.29.19",
  subjectAltName: "2.5.29.17",
} as const;

/** The attributes of a name, in order. */
const attributes = {
  UID: "0.9.2342.19200300.100.1.1",
  CN: "2.5.4.3",
  OU: "2.5.4.11",
  O: "2.5.4.10",
} as const;

export type Name = Readonly<Partial<Record<keyof typeof attributes, string>>>;

/** A certificate and its private key, both in PEM format. */
export interface KeyAndCertificate {
  /** The X.509 certificate, in PEM format. */
  readonly certificate: string;
  /** The certificate's private RSA key, in PEM format. */
  readonly key: string;
}

export interface CertificateRequest {
  readonly subject: Name;
  /** The issuer that signs the certificate. Default: the certificate is self-signed. */
  readonly issuer?: KeyAndCertificate & { readonly subject: Name };
  /** When the certificate becomes valid, in milliseconds since the Unix epoch. Must be before 2050. */
  readonly from: number;
  readonly until: number;
  readonly isAuthority?: boolean;
  /** Whether the certificate is a server certificate for `localhost` and 127.0.0.1. */
  readonly isOfLoopback?: boolean;
}

/** Creates a certificate along with a new RSA key. */
export function certificateFor(request: CertificateRequest): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { subject, issuer, from, until, isAuthority = false, isOfLoopback = false } = request;
  const algorithm = sequence(objectIdentifier(ids.sha256WithRsa), nothing);
  const serial = randomBytes(16);
  serial[0] = 0x40 + ((serial[0] ?? 0) % 0x40);
  const extensions = [
    ...(isAuthority
      ? [buildExtension(ids.basicConstraints, sequence(element(BOOLEAN, Buffer.from([0xff]))))]
      : []),
    ...(isOfLoopback ? [buildExtension(ids.subjectAltName, loopbackNames)] : []),
  ];
  const toBeSigned = sequence(
    element(contextTag(0), smallInteger(2)),
    element(INTEGER, serial),
    algorithm,
    encodeName(issuer?.subject ?? subject),
    sequence(utcTime(from), utcTime(until)),
    encodeName(subject),
    exportSpki(publicKey),
    ...(extensions.length > 0 ? [element(contextTag(3), sequence(...extensions))] : []),
  );
  const signature = sign("sha256", toBeSigned, issuer?.key ?? key);
  const certificate = sequence(toBeSigned, algorithm, encodeBits(signature));
  return { certificate: formatPem(certificate), key };
}

const loopbackNames = sequence(
  element(0x82, Buffer.from("localhost")),
  element(0x87, Buffer.from([127, 0, 0, 1])),
);

function buildExtension(id: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(id), octets(value));
}

function encodeName(name: Name): Buffer {
  const parts = Object.entries(attributes).flatMap(([attribute, id]) => {
    const value = Object.entries(name).find(([each]) => each === attribute)?.[1];
    if (value === undefined) return [];
    return [encodeSet(sequence(objectIdentifier(id), element(UTF8_STRING, Buffer.from(value))))];
  });
  return sequence(...parts);
}

function exportSpki(key: KeyObject): Buffer {
  return createPublicKey(key.export({ type: "spki", format: "pem" })).export({ type: "spki", format: "der" });
}

function encodeBits(content: Uint8Array): Buffer {
  return element(BIT_STRING, Buffer.from([0]), content);
}

function formatPem(der: Buffer): string {
  const lines = der.toString("base64").replaceAll(/.{64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`;
}
