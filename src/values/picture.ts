/** What a picture says of itself, whatever it was called. */
export interface PictureFacts {
  readonly type: "image/png" | "image/jpeg";
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_END = Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]);

/** The marker of a JPEG segment that is followed by nothing of a length. */
const JPEG_START = 0xd8;
const JPEG_SCAN = 0xda;

/** What the head of a PNG or a JPEG says, and whether it goes on to its end; `null` for anything else. */
export function pictureFacts(bytes: Uint8Array): PictureFacts | null {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facts = data.subarray(0, 8).equals(PNG_SIGNATURE) ? pngFacts(data) : jpegFacts(data);
  return facts === null || facts.width === 0 || facts.height === 0 ? null : facts;
}

/** PNG (ISO/IEC 15948), section 11.2.2: the first chunk is IHDR, the last IEND. */
function pngFacts(data: Buffer): PictureFacts | null {
  if (data.byteLength < 45 || data.toString("latin1", 12, 16) !== "IHDR" || data.readUInt32BE(8) !== 13) {
    return null;
  }
  if (!data.subarray(-PNG_END.byteLength).equals(PNG_END)) return null;
  return { type: "image/png", width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
}

/** JPEG (ISO/IEC 10918-1), annex B: segments up to the frame header, which has the size. */
function jpegFacts(data: Buffer): PictureFacts | null {
  if (data.byteLength < 4 || data[0] !== 0xff || data[1] !== JPEG_START) return null;
  if (data.at(-2) !== 0xff || data.at(-1) !== 0xd9) return null;
  for (let at = 2; at + 9 < data.byteLength; ) {
    if (data[at] !== 0xff) return null;
    const marker = data[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) {
      return { type: "image/jpeg", width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    }
    if (marker === JPEG_SCAN) return null;
    at += 2 + data.readUInt16BE(at + 2);
  }
  return null;
}

/** SOF0 to SOF15, but for DHT, JPG and DAC among them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
