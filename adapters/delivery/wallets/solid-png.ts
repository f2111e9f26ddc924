import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const PALETTE_COLOR_TYPE = 3;

/** Compressed pixel data keyed by the side of the square. It takes time to compress, but is the same for every color. */
const pixelDataBySide = new Map<number, Buffer>();

/**
 * Creates a square, single-color PNG (ISO/IEC 15948). The file has a palette with one color, so it is only about 150 bytes and
 * quick to create at any size. This matters because anyone can request any color.
 * @param side the side length in pixels. Use only a few different lengths, because the pixel data for each one is cached forever.
 * @param color the color as `#RRGGBB`.
 */
export function createSolidPng(side: number, color: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, PALETTE_COLOR_TYPE], 8);
  return Buffer.concat([
    SIGNATURE,
    encodeChunk("IHDR", header),
    encodeChunk("PLTE", Buffer.from(color.slice(1), "hex")),
    encodeSquare(side),
    encodeChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Builds the pixel data: every pixel has the first color, and each row starts with its filter type. */
function encodeSquare(side: number): Buffer {
  const data =
    pixelDataBySide.get(side) ??
    encodeChunk("IDAT", deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8)))));
  pixelDataBySide.set(side, data);
  return data;
}

function encodeChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
