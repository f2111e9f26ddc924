import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import {
  contextTag,
  encodedNull,
  encodeElement,
  encodeObjectIdentifier,
  encodeOctetString,
  encodeSequence,
  encodeSet,
  encodeSmallInteger,
  encodeUtcTime,
} from "../../delivery/wallets/apple/der.js";

/* A minimal implementation of X.509 certificates (RFC 5280) for tests. */

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;

const objectIdentifiers = {
  sha256WithRsa: "1.2.840.113549.1.1.11",
  basicConstraints: "2.5.29.19",
  subjectAltName: "2.5.29.17",
} as const;

/** The attributes of a name, in order. */
const attributeIdentifiers = {
  UID: "0.9.2342.19200300.100.1.1",
  CN: "2.5.4.3",
  OU: "2.5.4.11",
  O: "2.5.4.10",
} as const;

export type DistinguishedName = Readonly<Partial<Record<keyof typeof attributeIdentifiers, string>>>;

/** A certificate and its private key, both in PEM format. */
export interface KeyAndCertificate {
  /** The X.509 certificate, in PEM format. */
  readonly certificate: string;
  /** The certificate's private RSA key, in PEM format. */
  readonly key: string;
}

export interface CertificateRequest {
  readonly subject: DistinguishedName;
  /** The issuer that signs the certificate. Default: the certificate is self-signed. */
  readonly issuer?: KeyAndCertificate & { readonly subject: DistinguishedName };
  /** When the certificate becomes valid, in milliseconds since the Unix epoch. Must be before 2050. */
  readonly from: number;
  readonly until: number;
  readonly isAuthority?: boolean;
  /** Whether the certificate is a server certificate for `localhost` and 127.0.0.1. */
  readonly isForLoopback?: boolean;
}

/** Creates a certificate along with a new RSA key. */
export function createCertificate(request: CertificateRequest): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const { subject, issuer, from, until, isAuthority = false, isForLoopback = false } = request;
  const algorithm = encodeSequence(encodeObjectIdentifier(objectIdentifiers.sha256WithRsa), encodedNull);
  const serial = randomBytes(16);
  serial[0] = 0x40 + ((serial[0] ?? 0) % 0x40);
  const extensions = [
    ...(isAuthority
      ? [
          buildExtension(
            objectIdentifiers.basicConstraints,
            encodeSequence(encodeElement(BOOLEAN, Buffer.from([0xff]))),
          ),
        ]
      : []),
    ...(isForLoopback ? [buildExtension(objectIdentifiers.subjectAltName, loopbackNames)] : []),
  ];
  const tbsCertificate = encodeSequence(
    encodeElement(contextTag(0), encodeSmallInteger(2)),
    encodeElement(INTEGER, serial),
    algorithm,
    encodeName(issuer?.subject ?? subject),
    encodeSequence(encodeUtcTime(from), encodeUtcTime(until)),
    encodeName(subject),
    exportSpki(publicKey),
    ...(extensions.length > 0 ? [encodeElement(contextTag(3), encodeSequence(...extensions))] : []),
  );
  const signature = sign("sha256", tbsCertificate, issuer?.key ?? key);
  const certificate = encodeSequence(tbsCertificate, algorithm, encodeBits(signature));
  return { certificate: formatPem(certificate), key };
}

const loopbackNames = encodeSequence(
  encodeElement(0x82, Buffer.from("localhost")),
  encodeElement(0x87, Buffer.from([127, 0, 0, 1])),
);

function buildExtension(id: string, value: Buffer): Buffer {
  return encodeSequence(encodeObjectIdentifier(id), encodeOctetString(value));
}

function encodeName(name: DistinguishedName): Buffer {
  const parts = Object.entries(attributeIdentifiers).flatMap(([attribute, id]) => {
    const value = Object.entries(name).find(([each]) => each === attribute)?.[1];
    if (value === undefined) return [];
    return [
      encodeSet(encodeSequence(encodeObjectIdentifier(id), encodeElement(UTF8_STRING, Buffer.from(value)))),
    ];
  });
  return encodeSequence(...parts);
}

function exportSpki(key: KeyObject): Buffer {
  return createPublicKey(key.export({ type: "spki", format: "pem" })).export({ type: "spki", format: "der" });
}

function encodeBits(content: Uint8Array): Buffer {
  return encodeElement(BIT_STRING, Buffer.from([0]), content);
}

function formatPem(der: Buffer): string {
  const lines = der.toString("base64").replaceAll(/.{64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`;
}
