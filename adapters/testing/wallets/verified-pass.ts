import { createHash, verify, X509Certificate } from "node:crypto";
import { splitElements } from "../../delivery/wallets/apple/der.js";

/** The contents of a pass, as a phone reads them. */
export interface ReadPass {
  /** The parsed contents of `pass.json`. */
  readonly pass: Readonly<Record<string, unknown>>;
  /** The files in the `.pkpass` archive, including `pass.json`, keyed by name. */
  readonly files: ReadonlyMap<string, Buffer>;
}

const MESSAGE_DIGEST = "06092a864886f70d010904";

/**
 * Reads and verifies a `.pkpass` file the way a phone does. The manifest must contain the hash of every file, and must be signed
 * with a pass type certificate that chains to the root.
 * @param root the trusted root certificate, in PEM format.
 * @param now the current time, in milliseconds since the Unix epoch.
 * @throws if a phone would reject the pass.
 * @example
 * import { createFakePki, verifiedPass } from "loyalty-kit/testing";
 *
 * const answer = await fetch("https://cafe.example/passes/coffee.pkpass");
 * const { pass } = verifiedPass(new Uint8Array(await answer.arrayBuffer()), createFakePki().root, Date.now());
 * console.log(pass.serialNumber);
 */
export function verifiedPass(archive: Uint8Array, root: string, now: number): ReadPass {
  const files = unzip(Buffer.from(archive));
  const [manifest, signature] = [files.get("manifest.json"), files.get("signature")];
  if (manifest === undefined || signature === undefined) throw new Error("the pass isn't signed");
  const hashes = new Map(Object.entries<unknown>(JSON.parse(manifest.toString())));
  for (const [name, content] of files) {
    if (name === "manifest.json" || name === "signature") continue;
    if (hashes.get(name) !== computeDigest("sha1", content).toString("hex"))
      throw new Error(`${name} doesn't match its hash`);
    hashes.delete(name);
  }
  if (hashes.size > 0) throw new Error(`${[...hashes.keys()]} is missing`);
  const signer = verifySignature(manifest, signature, new X509Certificate(root), now);
  const pass: Readonly<Record<string, unknown>> = JSON.parse(files.get("pass.json")?.toString() ?? "null");
  if (!signer.subject.split("\n").includes(`UID=${pass.passTypeIdentifier}`)) {
    throw new Error("the certificate is for another pass type");
  }
  if (!files.has("icon.png")) throw new Error("the pass has no icon");
  return { pass, files };
}

/**
 * Returns the files in an uncompressed ZIP archive.
 * @throws if the data is not a ZIP archive or is corrupt.
 */
function unzip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) throw new Error("not a ZIP archive");
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let remaining = archive.readUInt16LE(end + 10); remaining > 0; remaining -= 1) {
    const [method, size, nameLength] = [
      archive.readUInt16LE(at + 10),
      archive.readUInt32LE(at + 24),
      archive.readUInt16LE(at + 28),
    ];
    const name = archive.toString("utf8", at + 46, at + 46 + nameLength);
    const local = archive.readUInt32LE(at + 42);
    if (method !== 0) throw new Error(`${name} is compressed`);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    if (files.has(name)) throw new Error(`${name} is in the archive twice`);
    files.set(name, archive.subarray(start, start + size));
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  }
  return files;
}

function verifySignature(
  content: Buffer,
  message: Buffer,
  root: X509Certificate,
  now: number,
): X509Certificate {
  const [, explicit] = splitElements(message);
  const [signedData] = splitElements(assertPresent(explicit));
  const parts = splitElements(assertPresent(signedData));
  const certificates = splitElements(assertPresent(parts[3])).map((der) => new X509Certificate(der));
  const [signerInfo] = splitElements(assertPresent(parts[4]));
  const [, , , attributes, , signature] = splitElements(assertPresent(signerInfo));
  const signedBytes = Buffer.from(assertPresent(attributes));
  const attribute = splitElements(signedBytes).find((element) =>
    element.toString("hex").includes(MESSAGE_DIGEST),
  );
  const messageDigest = assertPresent(attribute).subarray(-32);
  if (!messageDigest.equals(computeDigest("sha256", content)))
    throw new Error("the manifest doesn't match its signature");
  signedBytes[0] = 0x31;
  const leaf = assertPresent(certificates.find((each) => !each.ca));
  const intermediate = assertPresent(certificates.find((each) => each !== leaf));
  for (const [each, issuer] of [
    [leaf, intermediate],
    [intermediate, root],
  ] as const) {
    if (!each.checkIssued(issuer) || !each.verify(issuer.publicKey))
      throw new Error("the certificate chain is invalid");
    if (Date.parse(each.validTo) < now || Date.parse(each.validFrom) > now)
      throw new Error("a certificate has expired or isn't valid yet");
  }
  if (!verify("sha256", signedBytes, leaf.publicKey, assertPresent(signature).subarray(-256)))
    throw new Error("the signature is invalid");
  return leaf;
}

function computeDigest(algorithm: string, content: Uint8Array): Buffer {
  return createHash(algorithm).update(content).digest();
}

function assertPresent<T>(part: T | undefined): T {
  if (part === undefined) throw new Error("the signature is truncated");
  return part;
}
