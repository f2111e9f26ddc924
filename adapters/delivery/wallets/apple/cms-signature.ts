import { createHash, type KeyObject, sign, type X509Certificate } from "node:crypto";
import { promisify } from "node:util";
import {
  contextTag,
  element,
  elementsIn,
  encodeSet,
  nothing,
  objectIdentifier,
  octets,
  sequence,
  smallInteger,
  sortedSet,
  utcTime,
} from "./der.js";

export type SignatureDigest = "sha256" | "sha1";

const digests: Readonly<Record<SignatureDigest, string>> = {
  sha256: "2.16.840.1.101.3.4.2.1",
  sha1: "1.3.14.3.2.26",
};

const ids = {
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
export async function detachedSignature(
  content: Uint8Array,
  signer: Signer,
  signingTime: number,
): Promise<Buffer> {
  const { certificate, key, intermediate, digest } = signer;
  const digestAlgorithm = sequence(objectIdentifier(digests[digest]));
  const attributes = [
    buildAttribute(ids.contentType, objectIdentifier(ids.data)),
    buildAttribute(ids.signingTime, utcTime(signingTime)),
    buildAttribute(ids.messageDigest, octets(createHash(digest).update(content).digest())),
  ];
  // The signature covers the attributes as a SET OF; the message contains the same set with a context tag (section 5.4).
  const signature = await signAsync(digest, sortedSet(SET, attributes), key);
  const signerInfo = sequence(
    smallInteger(1),
    issuerAndSerial(certificate),
    digestAlgorithm,
    sortedSet(contextTag(0), attributes),
    sequence(objectIdentifier(ids.rsaEncryption), nothing),
    octets(signature),
  );
  const signedData = sequence(
    smallInteger(1),
    encodeSet(digestAlgorithm),
    sequence(objectIdentifier(ids.data)),
    sortedSet(contextTag(0), [Buffer.from(certificate.raw), Buffer.from(intermediate.raw)]),
    encodeSet(signerInfo),
  );
  return sequence(objectIdentifier(ids.signedData), element(contextTag(0), signedData));
}

function buildAttribute(id: string, value: Buffer): Buffer {
  return sequence(objectIdentifier(id), encodeSet(value));
}

/** Copies the issuer and serial number, by which readers find the certificate, byte for byte. */
function issuerAndSerial(certificate: X509Certificate): Buffer {
  const [toBeSigned] = elementsIn(Buffer.from(certificate.raw));
  if (toBeSigned === undefined) throw new TypeError("the certificate is empty");
  const fields = elementsIn(toBeSigned);
  // Version 1 certificates leave out the version.
  const [serial, , issuer] = fields[0]?.[0] === contextTag(0) ? fields.slice(1) : fields;
  if (serial === undefined || issuer === undefined) throw new TypeError("the certificate is truncated");
  return sequence(issuer, serial);
}
