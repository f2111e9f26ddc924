import { createHash, type KeyObject, sign, type X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import {
  contextTag,
  encodedNull,
  encodeElement,
  encodeObjectIdentifier,
  encodeOctetString,
  encodeSequence,
  encodeSet,
  encodeSmallInteger,
  encodeSortedSet,
  encodeUtcTime,
  splitElements,
} from "./der.js";

export type SignatureDigest = "sha256" | "sha1";

const digestIdentifiers: Readonly<Record<SignatureDigest, string>> = {
  sha256: "2.16.840.1.101.3.4.2.1",
  sha1: "1.3.14.3.2.26",
};

const objectIdentifiers = {
  data: "1.2.840.113549.1.7.1",
  signedData: "1.2.840.113549.1.7.2",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  signingTime: "1.2.840.113549.1.9.5",
  rsaEncryption: "1.2.840.113549.1.1.1",
} as const;

const SET = 0x31;

export interface Signer {
  readonly certificate: X509Certificate;
  /** The RSA private key for the certificate. */
  readonly key: KeyObject;
  /**
   * The intermediate certificate that links the signer's certificate to Apple's root. It is included in the signature so that
   * verifiers can build the chain.
   */
  readonly intermediate: X509Certificate;
  readonly digest: SignatureDigest;
}

/** Signs off the main thread, because signing takes longer than all other work for a pass. */
const signAsync = promisify<string, Uint8Array, KeyObject, Buffer>(sign);

/** Creates a detached CMS signature (RFC 5652, section 5), encoded in DER. */
export async function createDetachedSignature(
  content: Uint8Array,
  signer: Signer,
  signingTime: number,
): Promise<Buffer> {
  const { certificate, key, intermediate, digest } = signer;
  const digestAlgorithm = encodeSequence(encodeObjectIdentifier(digestIdentifiers[digest]));
  const attributes = [
    buildAttribute(objectIdentifiers.contentType, encodeObjectIdentifier(objectIdentifiers.data)),
    buildAttribute(objectIdentifiers.signingTime, encodeUtcTime(signingTime)),
    buildAttribute(
      objectIdentifiers.messageDigest,
      encodeOctetString(createHash(digest).update(content).digest()),
    ),
  ];
  // The signature covers the attributes as a SET OF; the message contains the same set with a context tag (section 5.4).
  const signature = await signAsync(digest, encodeSortedSet(SET, attributes), key);
  const signerInfo = encodeSequence(
    encodeSmallInteger(1),
    encodeIssuerAndSerial(certificate),
    digestAlgorithm,
    encodeSortedSet(contextTag(0), attributes),
    encodeSequence(encodeObjectIdentifier(objectIdentifiers.rsaEncryption), encodedNull),
    encodeOctetString(signature),
  );
  const signedData = encodeSequence(
    encodeSmallInteger(1),
    encodeSet(digestAlgorithm),
    encodeSequence(encodeObjectIdentifier(objectIdentifiers.data)),
    encodeSortedSet(contextTag(0), [Buffer.from(certificate.raw), Buffer.from(intermediate.raw)]),
    encodeSet(signerInfo),
  );
  return encodeSequence(
    encodeObjectIdentifier(objectIdentifiers.signedData),
    encodeElement(contextTag(0), signedData),
  );
}

function buildAttribute(id: string, value: Buffer): Buffer {
  return encodeSequence(encodeObjectIdentifier(id), encodeSet(value));
}

/** Copies the issuer and serial number, by which readers find the certificate, byte for byte. */
function encodeIssuerAndSerial(certificate: X509Certificate): Buffer {
  const [tbsCertificate] = splitElements(Buffer.from(certificate.raw));
  if (tbsCertificate === undefined) throw new TypeError("the certificate is empty");
  const fields = splitElements(tbsCertificate);
  // Version 1 certificates leave out the version.
  const [serial, , issuer] = fields[0]?.[0] === contextTag(0) ? fields.slice(1) : fields;
  if (serial === undefined || issuer === undefined) throw new TypeError("the certificate is truncated");
  return encodeSequence(issuer, serial);
}
