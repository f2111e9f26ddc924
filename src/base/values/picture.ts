/**
 * A PNG or JPEG that contains only the picture itself, without text, locations, times, names, thumbnails, profiles, additional
 * pictures, or trailing data.
 */
export interface PlainPicture {
  readonly type: "image/png" | "image/jpeg";
  /** Width in pixels as stored, before the orientation is applied. */
  readonly width: number;
  readonly height: number;
  /** The Exif orientation to apply before the picture is displayed, from 1 to 8. 1 means that the picture is stored upright. */
  readonly orientation: number;
  readonly bytes: Uint8Array;
}

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

/** Markers from ISO/IEC 10918-1, annex B, without their leading `FF`. */
const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
const TABLES: readonly number[] = [0xc4, 0xdb, 0xdd];
/** Sequential and progressive frames with Huffman coding, which browsers and wallets can show. */
const FRAMES: readonly number[] = [0xc0, 0xc1, 0xc2];
const APPLICATION = 0xe0;
const EXIF = 0xe1;
const ADOBE = 0xee;
const LAST_APPLICATION = 0xef;
const COMMENT = 0xfe;

/**
 * Maximum number of scans. Encoders write about a dozen. A decoder processes all blocks of the picture for each scan, no matter how
 * few bytes the scan has.
 */
const MAX_SCANS = 64;
const MAX_SEGMENTS = 1_000;

const OTHER_KIND = "must be a baseline or progressive JPEG";

/** Declares JFIF colors. */
const jfif = Buffer.from("ffe000104a46494600010100000100010000", "hex");

interface Frame {
  readonly width: number;
  readonly height: number;
}

interface PictureInfo {
  frame: Frame | null;
  orientation: number;
  /** The segment that defines how colors are decoded. */
  colors: Buffer | null;
}

/**
 * Removes comments, Exif data, profiles, thumbnails, additional pictures, and trailing data from a JPEG. Keeps the segments that
 * make up the picture, its orientation, and its color encoding.
 * @returns the stripped picture, `null` if the data isn't a JPEG or is damaged, or an error message if this kind of JPEG isn't
 *   accepted.
 */
function stripJpeg(data: Buffer): PlainPicture | string | null {
  if (data.byteLength < 4 || data[0] !== 0xff || data[1] !== START) return null;
  const head: PictureInfo = { frame: null, orientation: UPRIGHT, colors: null };
  const keptParts: Buffer[] = [];
  let [scans, segments] = [0, 0];
  for (let at = 2; ; ) {
    if (data[at] !== 0xff) return null;
    const marker = data[at + 1];
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === END) return scans === 0 ? null : buildPicture(head, keptParts);
    if (marker === undefined || at + 4 > data.byteLength) return null;
    const length = data.readUInt16BE(at + 2);
    let end = at + 2 + length;
    if (length < 2 || end > data.byteLength) return null;
    segments += 1;
    if (segments > MAX_SEGMENTS) return `must have at most ${MAX_SEGMENTS} segments`;
    const body = data.subarray(at + 4, end);
    if (isMetadataMarker(marker)) readMetadata(head, marker, body, data.subarray(at, end));
    else if (FRAMES.includes(marker)) {
      if (head.frame !== null) return OTHER_KIND;
      const frame = parseFrame(body);
      if (frame === null || typeof frame === "string") return frame;
      head.frame = frame;
    } else if (marker === SCAN) {
      if (head.frame === null) return null;
      scans += 1;
      if (scans > MAX_SCANS) return `must have at most ${MAX_SCANS} scans`;
      end = findScanEnd(data, end);
    } else if (!TABLES.includes(marker)) return OTHER_KIND;
    if (!isMetadataMarker(marker)) keptParts.push(data.subarray(at, end));
    at = end;
  }
}

/** Returns whether a segment holds only metadata, which the picture doesn't need. */
function isMetadataMarker(marker: number): boolean {
  return (marker >= APPLICATION && marker <= LAST_APPLICATION) || marker === COMMENT;
}

function readMetadata(head: PictureInfo, marker: number, body: Buffer, segment: Buffer): void {
  if (marker === EXIF && head.orientation === UPRIGHT) head.orientation = readOrientation(body);
  if (marker === ADOBE && body.byteLength === 12 && startsWith(body, "Adobe")) head.colors = segment;
  if (marker === APPLICATION && startsWith(body, "JFIF\0")) head.colors ??= jfif;
}

/** @returns `null` if the frame is damaged. */
function parseFrame(body: Buffer): Frame | string | null {
  const [precision, components = 0] = [body[0], body[5]];
  if (body.byteLength !== 6 + 3 * components) return null;
  if (precision !== 8 || ![1, 3, 4].includes(components)) return OTHER_KIND;
  const frame = { height: body.readUInt16BE(1), width: body.readUInt16BE(3) };
  return frame.width === 0 || frame.height === 0 ? null : frame;
}

/** Returns the offset of the marker after a scan, or the end of the data if there is no marker. */
function findScanEnd(data: Buffer, start: number): number {
  for (let at = data.indexOf(0xff, start); at !== -1; at = data.indexOf(0xff, at + 1)) {
    const next = data[at + 1] ?? 0;
    const isRestart = next >= 0xd0 && next <= 0xd7;
    if (next !== 0 && next !== 0xff && !isRestart) return at;
  }
  return data.byteLength;
}

function buildPicture(
  { frame, orientation, colors }: PictureInfo,
  keptParts: readonly Buffer[],
): PlainPicture | null {
  if (frame === null) return null;
  const bytes = Buffer.concat([
    Buffer.from([0xff, START]),
    ...(colors === null ? [] : [colors]),
    ...(orientation === UPRIGHT ? [] : [buildOrientationSegment(orientation)]),
    ...keptParts,
    Buffer.from([0xff, END]),
  ]);
  return { type: "image/jpeg", ...frame, orientation, bytes: new Uint8Array(bytes) };
}

function startsWith(body: Buffer, text: string): boolean {
  return body.toString("latin1", 0, text.length) === text;
}

/** The Exif orientation of a picture that is stored upright. */
const UPRIGHT = 1;

const MAX_ORIENTATION = 8;

/** Tag number of the orientation, which is a two-byte value (Exif 2.32, section 4.6.4). */
const ORIENTATION = 0x0112;
const SHORT_TYPE = 3;

const EXIF_NAME = "Exif\0\0";
const ENTRY_LENGTH = 12;

/** Returns the orientation stored in the body of an Exif segment, or 1 if the segment doesn't contain an orientation. */
function readOrientation(body: Buffer): number {
  if (body.toString("latin1", 0, EXIF_NAME.length) !== EXIF_NAME) return UPRIGHT;
  const tiff = body.subarray(EXIF_NAME.length);
  const isLittleEndian = tiff.toString("latin1", 0, 2) === "II";
  const readShort = (at: number) => {
    if (at + 2 > tiff.byteLength) return 0;
    return isLittleEndian ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  };
  // No segment reaches 64 KiB, so an offset with a nonzero upper half is out of range.
  const [high, low] = isLittleEndian ? [readShort(6), readShort(4)] : [readShort(4), readShort(6)];
  if (high !== 0) return UPRIGHT;
  const count = readShort(low);
  for (let entry = 0; entry < count; entry += 1) {
    const at = low + 2 + entry * ENTRY_LENGTH;
    if (at + ENTRY_LENGTH > tiff.byteLength) return UPRIGHT;
    if (readShort(at) !== ORIENTATION || readShort(at + 2) !== SHORT_TYPE) continue;
    const value = readShort(at + 8);
    return value >= UPRIGHT && value <= MAX_ORIENTATION ? value : UPRIGHT;
  }
  return UPRIGHT;
}

/** Builds an Exif segment that contains only the orientation. */
function buildOrientationSegment(orientation: number): Buffer {
  const segment = Buffer.from(
    "ffe10022457869660000" + "4d4d002a00000008" + "0001011200030000000100000000" + "00000000",
    "hex",
  );
  segment.writeUInt16BE(orientation, 28);
  return segment;
}

/**
 * Re-encodes pictures from their pixels, so nothing else from an uploaded file is stored. `createWallets` in `loyalty-kit/wallets`
 * provides a decoder. Because pictures are untrusted input, a decoder must run in isolation, with time and memory limits.
 */
export interface PictureDecoder {
  /**
   * Decodes a picture and encodes it again.
   * @param picture the picture, which might be corrupt but is within the limits for pixels, scans, and parts.
   * @returns the picture as an upright PNG, or a message that explains to the uploader why the picture was rejected.
   * @throws if decoding is temporarily unavailable.
   */
  decode(picture: PlainPicture): Promise<PlainPicture | string>;
}
