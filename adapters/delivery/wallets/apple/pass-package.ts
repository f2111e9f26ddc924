import { createHash } from "node:crypto";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import { pickCardLook } from "../card-look.js";
import type { Drawings } from "../drawing.js";
import type { FindPicture } from "../picture-cache.js";
import { detachedSignature } from "./cms-signature.js";
import type { AppleIdentity } from "./identity.js";
import { buildPassContent } from "./pass-content.js";
import { renderPassPictures } from "./pass-pictures.js";
import { buildZip } from "./zip.js";

export interface PassOptions {
  readonly identity: AppleIdentity;
  readonly webServiceUrl: string;
  readonly pictures: FindPicture;
  readonly drawings: Drawings | null;
}

/**
 * Creates a card's `.pkpass` file, which contains `pass.json`, the pictures and strings, a manifest with their SHA-1 digests, and
 * the manifest's signature. Signing the same card with the same signing time always produces identical bytes.
 */
export async function createPassPackage(
  issued: IssuedCard,
  options: PassOptions,
  signingTime: number,
): Promise<Buffer<ArrayBuffer>> {
  const { identity, webServiceUrl, pictures, drawings } = options;
  const { pass, strings } = buildPassContent(issued, identity, webServiceUrl);
  const { organizationId, template, stamps } = issued;
  const design = template?.design ?? null;
  const state = stamps && {
    look: pickCardLook(design),
    filled: stamps.currentStamps,
    total: stamps.maxStamps,
  };
  const files = new Map<string, Uint8Array>([["pass.json", Buffer.from(JSON.stringify(pass))]]);
  for (const [name, picture] of await renderPassPictures(
    { organizationId, design, state },
    pictures,
    drawings,
  ))
    files.set(name, picture);
  for (const [language, pairs] of strings)
    files.set(`${language}.lproj/pass.strings`, formatStringsFile(pairs));
  const manifest = Buffer.from(
    JSON.stringify(Object.fromEntries([...files].map(([name, bytes]) => [name, sha1(bytes)]))),
  );
  files.set("manifest.json", manifest);
  files.set("signature", await detachedSignature(manifest, identity, signingTime));
  return buildZip(files);
}

/**
 * Formats the `.strings` file for one language.
 * @param pairs the translations, keyed by string key.
 */
export function formatStringsFile(pairs: ReadonlyMap<string, string>): Uint8Array {
  const lines = [...pairs].map(([text, translated]) => `${quoted(text)} = ${quoted(translated)};\n`);
  return Buffer.from(lines.join(""));
}

function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

/** Cached digests of pictures, because the same picture is part of many passes. */
const known = new WeakMap<Uint8Array, string>();

function sha1(bytes: Uint8Array): string {
  const digest = known.get(bytes) ?? createHash("sha1").update(bytes).digest("hex");
  known.set(bytes, digest);
  return digest;
}
