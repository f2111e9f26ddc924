import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

export interface PngParts {
  readonly width?: number;
  readonly height?: number;
  readonly depth?: number;
  readonly color?: number;
  readonly isInterlaced?: boolean;
  /** The bytes of the rows before compression, each row after its filter byte. */
  readonly rows?: Buffer;
  /** Chunks between the header and the pixels. */
  readonly before?: readonly Buffer[];
  readonly after?: readonly Buffer[];
}

/** Builds a PNG with the given parts. Default: one gray, 8 by 8 pixels. */
export function buildPng(parts: PngParts = {}): Buffer {
  const { width = 8, height = 8, depth = 8, color = 0, isInterlaced = false } = parts;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, color, 0, 0, isInterlaced ? 1 : 0], 8);
  const rows = parts.rows ?? buildGrayRows(width, height);
  return Buffer.concat([
    SIGNATURE,
    buildChunk("IHDR", header),
    ...(parts.before ?? []),
    buildChunk("IDAT", deflateSync(rows)),
    ...(parts.after ?? []),
    buildChunk("IEND", Buffer.alloc(0)),
  ]);
}

function buildGrayRows(width: number, height: number): Buffer {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width, 0x80)]);
  return Buffer.concat(Array.from({ length: height }, () => row));
}

export function buildChunk(type: string, data: Buffer | string): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), Buffer.from(data)]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.byteLength - 4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** Builds data that inflates to this many bytes. */
export const buildBomb = (bytes: number): Buffer => deflateSync(Buffer.alloc(bytes));

export interface JpegParts {
  readonly width?: number;
  readonly height?: number;
  /** Number of scans after the first, which has the whole picture. Each visits all blocks again and changes none. */
  readonly scans?: number;
  readonly components?: number;
  /** Marker of the frame; `c2` is progressive. */
  readonly frame?: number;
  /** Segments right after the start. */
  readonly before?: readonly Buffer[];
  /** Bytes after the end. */
  readonly after?: Buffer;
}

/** Builds a progressive JPEG of one gray with the given parts. Default: 8 by 8 pixels. */
export function buildJpeg(parts: JpegParts = {}): Buffer {
  const { width = 8, height = 8, scans = 0, components = 1, frame = 0xc2 } = parts;
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  const each = Array.from({ length: components }, (_, at) => at + 1);
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  // Each table has one code of one bit: "the same as before", and "nothing in the next 32,767 blocks".
  const codes = [1, ...Array(15).fill(0)];
  const first = Buffer.concat([
    buildSegment(0xda, [components, ...each.flatMap((id) => [id, 0]), 0, 0, 0]),
    Buffer.alloc(Math.ceil((blocks * components) / 8)),
  ]);
  const runBits = encodeEntropy("011111111111111".repeat(Math.ceil(blocks / 32_767)));
  const repeatedScan = Buffer.concat([buildSegment(0xda, [1, 1, 0, 1, 63, 0]), runBits]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...(parts.before ?? []),
    buildSegment(0xdb, [0, ...Array(64).fill(1)]),
    buildSegment(frame, [8, ...size, components, ...each.flatMap((id) => [id, 0x11, 0])]),
    buildSegment(0xc4, [0x00, ...codes, 0]),
    buildSegment(0xc4, [0x10, ...codes, 0xe0]),
    first,
    ...Array.from({ length: scans }, () => repeatedScan),
    Buffer.from([0xff, 0xd9]),
    parts.after ?? Buffer.alloc(0),
  ]);
}

/** Encodes the bits of a scan, padded with ones. */
function encodeEntropy(bits: string): Buffer {
  const octets = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1").match(/.{8}/g) ?? [];
  const bytes = octets.map((byte) => Number.parseInt(byte, 2));
  return Buffer.from(bytes.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])));
}

export function buildSegment(marker: number, body: readonly number[] | Buffer | string): Buffer {
  const data = typeof body === "string" ? Buffer.from(body, "latin1") : Buffer.from(body);
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.byteLength + 2, 2);
  return Buffer.concat([head, data]);
}

/** Builds the EXIF segment of a phone's photo: orientation and location. @param order byte order. */
export function buildExif(orientation: number, location: string, order: "II" | "MM" = "II"): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write(order, "latin1");
  const writeShort = (value: number, at: number) =>
    order === "II" ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
  writeShort(42, 2);
  writeShort(8, order === "II" ? 4 : 6);
  writeShort(1, 8);
  writeShort(0x0112, 10);
  writeShort(3, 12);
  writeShort(1, order === "II" ? 14 : 16);
  writeShort(orientation, 18);
  return buildSegment(0xe1, Buffer.concat([Buffer.from("Exif\0\0"), tiff, Buffer.from(location)]));
}

export const dataUrl = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString("base64")}`;
