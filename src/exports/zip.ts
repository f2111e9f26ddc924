import { constants, crc32, deflateRaw } from "node:zlib";

/** A file of an archive. */
export interface ZippedFile {
  readonly name: string;
  /** Less than 4 GiB. It is read once, before the next file is asked for. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A file that is in the archive, and where. */
interface Entry {
  readonly name: Uint8Array;
  readonly offset: number;
  crc: number;
  size: number;
  compressedSize: number;
}

/** The most that a field of 32 bits holds: what stands for "see the field of 64 bits". */
const FULL = 0xffff_ffff;
const FULL_COUNT = 0xffff;

/** The versions of the format that a reader has to know: for compressed files, and for archives of 4 GiB and more. */
const VERSION = 20;
const VERSION_64 = 45;

/** Names are UTF-8, and the sizes of a file stand behind it. */
const FLAGS = 0x0808;
const DEFLATED = 8;

/** Ends compressed data: an empty last block. */
const END_OF_DATA = Uint8Array.of(3, 0);

/**
 * Creates a ZIP archive (APPNOTE.TXT 6.3) while it is read. Each piece of a file is compressed off the event loop. Entries after
 * the first 4 GiB use the fields of ZIP64.
 * @param modifiedAt the time of all files, in milliseconds since the Unix epoch; stored in UTC.
 * @param start the number of bytes before the archive.
 * @throws {RangeError} for a file of 4 GiB or more. @throws what the files throw.
 */
export async function* createZip(
  files: AsyncIterable<ZippedFile>,
  modifiedAt: number,
  start = 0,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const time = toDosTime(modifiedAt);
  const entries: Entry[] = [];
  let offset = start;
  for await (const { name, content } of files) {
    const entry = { name: Buffer.from(name), offset, crc: 0, size: 0, compressedSize: 0 };
    const head = Buffer.concat([signature("PK\x03\x04"), encodeFacts(entry, time, VERSION), entry.name]);
    yield head;
    for await (const piece of compressed(content, entry)) yield piece;
    if (entry.size >= FULL || entry.compressedSize >= FULL) throw new RangeError(`${name} is too large`);
    const foot = Buffer.concat([signature("PK\x07\x08"), encodeSizes(entry)]);
    yield foot;
    offset += head.byteLength + entry.compressedSize + foot.byteLength;
    entries.push(entry);
  }
  yield buildDirectory(entries, time, offset);
}

/** Compresses a file, and counts it. */
async function* compressed(
  content: AsyncIterable<Uint8Array>,
  entry: Entry,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  for await (const piece of content) {
    if (piece.byteLength === 0) continue;
    entry.crc = crc32(piece, entry.crc);
    entry.size += piece.byteLength;
    const deflated = await deflatedPiece(piece);
    entry.compressedSize += deflated.byteLength;
    yield deflated;
  }
  entry.compressedSize += END_OF_DATA.byteLength;
  yield END_OF_DATA;
}

/** Ends at a whole byte, so that another piece can follow. */
function deflatedPiece(piece: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    deflateRaw(piece, { finishFlush: constants.Z_SYNC_FLUSH }, (error, deflated) => {
      if (error === null) resolve(deflated);
      else reject(error);
    });
  });
}

function buildDirectory(entries: readonly Entry[], time: number, offset: number): Buffer<ArrayBuffer> {
  const lines = entries.map((entry) => buildDirectoryLine(entry, time));
  const directory = Buffer.concat(lines);
  const isLarge = offset + directory.byteLength >= FULL || entries.length >= FULL_COUNT;
  const end = Buffer.alloc(18);
  const count = Math.min(entries.length, FULL_COUNT);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(Math.min(directory.byteLength, FULL), 8);
  end.writeUInt32LE(Math.min(offset, FULL), 12);
  return Buffer.concat([
    directory,
    ...(isLarge ? [buildLargeEnd(entries.length, directory.byteLength, offset)] : []),
    signature("PK\x05\x06"),
    end,
  ]);
}

/** The line of a file in the directory. */
function buildDirectoryLine(entry: Entry, time: number): Buffer<ArrayBuffer> {
  const isFar = entry.offset >= FULL;
  const far = Buffer.alloc(isFar ? 12 : 0);
  if (isFar) {
    far.writeUInt16LE(1, 0);
    far.writeUInt16LE(8, 2);
    far.writeBigUInt64LE(BigInt(entry.offset), 4);
  }
  const version = isFar ? VERSION_64 : VERSION;
  const facts = encodeFacts(entry, time, version);
  facts.writeUInt16LE(far.byteLength, 24);
  const place = Buffer.alloc(14);
  place.writeUInt32LE(Math.min(entry.offset, FULL), 10);
  return Buffer.concat([signature("PK\x01\x02"), Uint8Array.of(version, 0), facts, place, entry.name, far]);
}

/** The end of a directory whose numbers are larger than 32 bits, and where that is. */
function buildLargeEnd(count: number, length: number, offset: number): Buffer<ArrayBuffer> {
  const end = Buffer.alloc(52);
  end.writeBigUInt64LE(44n, 0);
  end.writeUInt16LE(VERSION_64, 8);
  end.writeUInt16LE(VERSION_64, 10);
  end.writeBigUInt64LE(BigInt(count), 20);
  end.writeBigUInt64LE(BigInt(count), 28);
  end.writeBigUInt64LE(BigInt(length), 36);
  end.writeBigUInt64LE(BigInt(offset), 44);
  const place = Buffer.alloc(16);
  place.writeBigUInt64LE(BigInt(offset + length), 4);
  place.writeUInt32LE(1, 12);
  return Buffer.concat([signature("PK\x06\x06"), end, signature("PK\x06\x07"), place]);
}

/** The facts of a file, as they stand before it and in the directory. Before it, its sizes are not known yet. */
function encodeFacts(entry: Entry, time: number, version: number): Buffer<ArrayBuffer> {
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(version, 0);
  facts.writeUInt16LE(FLAGS, 2);
  facts.writeUInt16LE(DEFLATED, 4);
  facts.writeUInt32LE(time, 6);
  facts.set(encodeSizes(entry), 10);
  facts.writeUInt16LE(entry.name.byteLength, 22);
  return facts;
}

function encodeSizes({ crc, compressedSize, size }: Entry): Buffer<ArrayBuffer> {
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc, 0);
  sizes.writeUInt32LE(compressedSize, 4);
  sizes.writeUInt32LE(size, 8);
  return sizes;
}

/** A time as MS-DOS has it, of two seconds; those before 1980 are its first. */
function toDosTime(ms: number): number {
  const date = new Date(ms);
  const year = date.getUTCFullYear() - 1980;
  if (year < 0) return 0x0021_0000;
  const day = (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

function signature(text: string): Buffer<ArrayBuffer> {
  return Buffer.from(text, "latin1");
}
