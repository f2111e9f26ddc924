/** The Exif orientation of a picture that is stored upright. */
export const UPRIGHT = 1;

const TURNED_MOST = 8;

/** Tag number of the orientation, which is a two-byte value (Exif 2.32, section 4.6.4). */
const ORIENTATION = 0x0112;
const SHORT = 3;

const NAME = "Exif\0\0";
const ENTRY_LENGTH = 12;

/** Returns the orientation stored in the body of an Exif segment, or 1 if the segment doesn't contain an orientation. */
export function orientationIn(body: Buffer): number {
  if (body.toString("latin1", 0, NAME.length) !== NAME) return UPRIGHT;
  const tiff = body.subarray(NAME.length);
  const isLittle = tiff.toString("latin1", 0, 2) === "II";
  const short = (at: number) => {
    if (at + 2 > tiff.byteLength) return 0;
    return isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  };
  // No segment reaches 64 KiB, so an offset with a nonzero upper half is out of range.
  const [high, low] = isLittle ? [short(6), short(4)] : [short(4), short(6)];
  if (high !== 0) return UPRIGHT;
  const count = short(low);
  for (let entry = 0; entry < count; entry += 1) {
    const at = low + 2 + entry * ENTRY_LENGTH;
    if (at + ENTRY_LENGTH > tiff.byteLength) return UPRIGHT;
    if (short(at) !== ORIENTATION || short(at + 2) !== SHORT) continue;
    const value = short(at + 8);
    return value >= UPRIGHT && value <= TURNED_MOST ? value : UPRIGHT;
  }
  return UPRIGHT;
}

/** Builds an Exif segment that contains only the orientation. */
export function orientationSegment(orientation: number): Buffer {
  const segment = Buffer.from(
    "ffe10022457869660000" + "4d4d002a00000008" + "0001011200030000000100000000" + "00000000",
    "hex",
  );
  segment.writeUInt16BE(orientation, 28);
  return segment;
}
