import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Design } from "../../../../src/index.js";
import type { StoredPicture } from "../../../../src/storage/wallets.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import { pickCardLook } from "../card-look.js";
import type { CardState, Drawings, Scale } from "../drawing.js";
import type { FindPicture } from "../picture-cache.js";
import { createSolidPng } from "../solid-png.js";
import { createDetachedSignature } from "./cms-signature.js";
import type { AppleIdentity } from "./identity.js";
import { buildPassContent } from "./pass-content.js";

/** Minimum widths of pictures in pixels, at a scale of 3 and of 2. */
const minWidths = { icon: [87, 58], logo: [480, 320], strip: [1_125, 750] } as const;

const ICON_SIDE = 87;

const DEFAULT_COLOR = "#64748B";

const scales: readonly Scale[] = [1, 2, 3];

/**
 * The earliest date that a ZIP file can store. All files have the same date, so that the same files always produce the same bytes.
 */
const ZIP_DATE = 0x0021;

const ZIP_VERSION = 20;

/** Flag: names are UTF-8. */
const ZIP_FLAGS = 0x0800;

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
  issuedCard: IssuedCard,
  options: PassOptions,
  signingTime: number,
): Promise<Buffer<ArrayBuffer>> {
  const { identity, webServiceUrl, pictures, drawings } = options;
  const { pass, strings } = buildPassContent(issuedCard, identity, webServiceUrl);
  const { organizationId, template, stamps } = issuedCard;
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
    JSON.stringify(Object.fromEntries([...files].map(([name, bytes]) => [name, hashSha1(bytes)]))),
  );
  files.set("manifest.json", manifest);
  files.set("signature", await createDetachedSignature(manifest, identity, signingTime));
  return buildZip(files);
}

/**
 * Formats the `.strings` file for one language.
 * @param pairs a map from string keys to translations.
 */
export function formatStringsFile(pairs: ReadonlyMap<string, string>): Uint8Array {
  const lines = [...pairs].map(([text, translated]) => `${quote(text)} = ${quote(translated)};\n`);
  return Buffer.from(lines.join(""));
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n").replaceAll("\r", "\\r")}"`;
}

/** Cached digests of pictures, because the same picture is part of many passes. */
const digests = new WeakMap<Uint8Array, string>();

function hashSha1(bytes: Uint8Array): string {
  const digest = digests.get(bytes) ?? createHash("sha1").update(bytes).digest("hex");
  digests.set(bytes, digest);
  return digest;
}

/**
 * Builds an uncompressed ZIP archive (APPNOTE.TXT 6.3). Most of the content is pictures, which are already compressed, so
 * compression wouldn't help much.
 * @param files the files' contents, keyed by file name and in archive order. The total size must be less than 4 GiB.
 */
function buildZip(files: ReadonlyMap<string, Uint8Array>): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [text, content] of files) {
    const name = Buffer.from(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(ZIP_VERSION, 0);
    common.writeUInt16LE(ZIP_FLAGS, 2);
    common.writeUInt16LE(ZIP_DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.byteLength, 14);
    common.writeUInt32LE(content.byteLength, 18);
    common.writeUInt16LE(name.byteLength, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name, content]);
    const directoryFields = Buffer.alloc(14);
    directoryFields.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.from("PK\x01\x02", "latin1"),
      Buffer.from([ZIP_VERSION, 0]),
      common,
      directoryFields,
      name,
    );
    parts.push(local);
    offset += local.byteLength;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(entries.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, entries, end]);
}

type PictureKind = keyof typeof minWidths;

interface PassPictureSource {
  readonly organizationId: string;
  /** The card's design, or `null` if the template has none. */
  readonly design: Design | null;
  /** The state of the card's stamps, or `null` if the card doesn't collect stamps. */
  readonly state: CardState | null;
}

/**
 * Renders a pass's pictures, keyed by file name. Every pass must have an icon. If the design has no icon, the logo serves as the
 * icon, or a plain square if the design has no logo either.
 */
async function renderPassPictures(
  { organizationId, design, state }: PassPictureSource,
  pictures: FindPicture,
  drawings: Drawings | null,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const color = design?.backgroundColor ?? DEFAULT_COLOR;
  const logo = await findPng(design?.logo, pictures);
  const icon = (await findPng(design?.icon, pictures)) ?? logo;
  files.set("icon.png", icon?.bytes ?? createSolidPng(ICON_SIDE, color));
  if (icon !== null) addPicture(files, "icon", icon);
  if (logo !== null) addPicture(files, "logo", logo);
  if (state === null) return files;
  const stampStrips =
    drawings === null
      ? []
      : await drawStrips((scale) => drawings.strip(organizationId, state, scale, pictures));
  for (const [scale, strip] of stampStrips) files.set(formatFileName("strip", scale), strip);
  const strip = stampStrips.length > 0 ? null : await findPng(design?.strip, pictures);
  if (strip !== null) addPicture(files, "strip", strip);
  return files;
}

async function drawStrips(
  draw: (scale: Scale) => Promise<Uint8Array | null>,
): Promise<(readonly [Scale, Uint8Array])[]> {
  const strips = await Promise.all(scales.map(draw));
  return scales.flatMap((scale, at) => {
    const strip = strips[at];
    return strip == null ? [] : [[scale, strip] as const];
  });
}

/** Finds a picture that is a PNG, because Wallet shows no other format. */
async function findPng(
  hash: string | null | undefined,
  pictures: FindPicture,
): Promise<StoredPicture | null> {
  const picture = hash == null ? null : await pictures(hash);
  return picture?.type === "image/png" ? picture : null;
}

function addPicture(
  files: Map<string, Uint8Array>,
  kind: PictureKind,
  { width, bytes }: StoredPicture,
): void {
  const [width3x, width2x] = minWidths[kind];
  const scale = width >= width3x ? 3 : width >= width2x ? 2 : 1;
  files.set(formatFileName(kind, scale), bytes);
}

function formatFileName(kind: PictureKind, scale: Scale): string {
  return scale === 1 ? `${kind}.png` : `${kind}@${scale}x.png`;
}
