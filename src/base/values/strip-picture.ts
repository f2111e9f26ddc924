import { stripJpeg } from "./jpeg.js";
import type { PlainPicture } from "./picture.js";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** Bytes around a chunk's data: its length, type and checksum. */
const CHUNK_OVERHEAD = 12;

const HEADER_LENGTH = 13;

const MAX_CHUNKS = 1_000;

/** Allowed bit depths by color type (ISO/IEC 15948, section 11.2.2). */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};

const PALETTE = 3;

/** The chunks that are kept, in their required order. Only `IDAT` may repeat. All other chunks are removed. */
const order = ["IHDR", "PLTE", "tRNS", "IDAT", "IEND"];

/** Maximum width and height of a picture, in pixels. */
const MAX_SIDE = 2_048;

/**
 * Removes everything except the picture itself from a PNG or JPEG. The format is detected from the content. Nothing is decoded, so
 * an accepted picture can still be damaged, but the time and memory needed to decode it are bounded.
 * @returns the stripped picture, or an error message for the sender if the picture is rejected.
 */
export function stripPicture(bytes: Uint8Array): PlainPicture | string {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const picture = data[0] === 0x89 ? stripPng(data) : stripJpeg(data);
  if (picture === null) return "must be a complete PNG or JPEG";
  if (typeof picture === "string") return picture;
  const { width, height } = picture;
  return width > MAX_SIDE || height > MAX_SIDE ? `must be at most ${MAX_SIDE} pixels wide and high` : picture;
}

/**
 * Removes text, times, profiles, animation frames, and trailing data from a PNG. Keeps only the chunks that make up the picture.
 * @returns the stripped picture, `null` if the data isn't a PNG or is damaged, or an error message if this kind of PNG isn't
 *   accepted.
 */
function stripPng(data: Buffer): PlainPicture | string | null {
  if (!data.subarray(0, SIGNATURE.byteLength).equals(SIGNATURE)) return null;
  const keptChunks: Buffer[] = [SIGNATURE];
  const types: string[] = [];
  let count = 0;
  for (let at = SIGNATURE.byteLength; at + CHUNK_OVERHEAD <= data.byteLength; ) {
    const end = at + CHUNK_OVERHEAD + data.readUInt32BE(at);
    const type = data.toString("latin1", at + 4, at + 8);
    if (end > data.byteLength || !/^[A-Za-z]{4}$/.test(type)) return null;
    count += 1;
    if (count > MAX_CHUNKS) return `must have at most ${MAX_CHUNKS} chunks`;
    if (order.includes(type)) {
      if (!mayFollow(type, types.at(-1))) return null;
      types.push(type);
      keptChunks.push(data.subarray(at, end));
    } else if (isCritical(type)) return null;
    if (type === "IEND") return readPicture(Buffer.concat(keptChunks), types);
    at = end;
  }
  return null;
}

function mayFollow(type: string, last: string | undefined): boolean {
  if (last === undefined) return type === "IHDR";
  return type === "IDAT" && last === "IDAT" ? true : order.indexOf(type) > order.indexOf(last);
}

/** Returns whether chunks of this type are needed to show the picture. All critical types of the format are in the kept list. */
function isCritical(type: string): boolean {
  return type.charAt(0) < "a";
}

/** @param bytes begin with the PNG signature and header. */
function readPicture(bytes: Buffer, types: readonly string[]): PlainPicture | null {
  const header = bytes.subarray(SIGNATURE.byteLength);
  if (header.readUInt32BE(0) !== HEADER_LENGTH || !types.includes("IDAT")) return null;
  const [width, height] = [header.readUInt32BE(8), header.readUInt32BE(12)];
  const [depth = 0, color = 0, compression, filter, interlace = 0] = header.subarray(16, 21);
  const isKnown =
    depths[color]?.includes(depth) === true && compression === 0 && filter === 0 && interlace <= 1;
  if (!isKnown || width === 0 || height === 0) return null;
  if (color === PALETTE && !types.includes("PLTE")) return null;
  return { type: "image/png", width, height, orientation: 1, bytes: new Uint8Array(bytes) };
}
