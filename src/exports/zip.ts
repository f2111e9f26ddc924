import { constants, crc32, deflateRaw } from "node:zlib";

/** A file to add to a ZIP archive. */
export interface ZippedFile {
  readonly name: string;
  /** The file's content, which must be less than 4 GiB. It is read once, before the next file is requested. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** A file that was written to the archive, with its offset. */
interface Entry {
  readonly name: Uint8Array;
  readonly offset: number;
  crc: number;
  size: number;
  compressedSize: number;
}

/** The largest value of a 32-bit field. In ZIP64 it means that the value is in a 64-bit field instead. */
const MAX_UINT32 = 0xffff_ffff;
const MAX_UINT16 = 0xffff;

/** The versions of the ZIP format that a reader must support: 2.0 for compressed files, and 4.5 for ZIP64. */
const VERSION = 20;
const VERSION_64 = 45;

/** Flags: names are UTF-8, and each file's sizes follow its data. */
const FLAGS = 0x0808;
const DEFLATE_METHOD = 8;

/** An empty last block, which ends the compressed data. */
const END_OF_DATA = Uint8Array.of(3, 0);

/**
 * Streams a ZIP archive (APPNOTE.TXT 6.3), generating it as it is read. Compression runs off the event loop. Entries that start
 * beyond the first 4 GiB use ZIP64 fields.
 * @param modifiedAt the modification time for all files, in milliseconds since the Unix epoch. The archive stores it in UTC.
 * @param start the number of bytes that precede the archive in the output. Default: 0.
 * @throws {RangeError} if a file is 4 GiB or larger.
 * @throws any error thrown while reading the files.
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
    const localHeader = Buffer.concat([
      encodeSignature("PK\x03\x04"),
      encodeSharedFields(entry, time, VERSION),
      entry.name,
    ]);
    yield localHeader;
    for await (const chunk of compress(content, entry)) yield chunk;
    if (entry.size >= MAX_UINT32 || entry.compressedSize >= MAX_UINT32)
      throw new RangeError(`${name} is too large`);
    const dataDescriptor = Buffer.concat([encodeSignature("PK\x07\x08"), encodeSizes(entry)]);
    yield dataDescriptor;
    offset += localHeader.byteLength + entry.compressedSize + dataDescriptor.byteLength;
    entries.push(entry);
  }
  yield buildDirectory(entries, time, offset);
}

/** Compresses a file, and adds up its sizes and checksum in the entry. */
async function* compress(
  content: AsyncIterable<Uint8Array>,
  entry: Entry,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  for await (const chunk of content) {
    if (chunk.byteLength === 0) continue;
    entry.crc = crc32(chunk, entry.crc);
    entry.size += chunk.byteLength;
    const deflated = await deflateChunk(chunk);
    entry.compressedSize += deflated.byteLength;
    yield deflated;
  }
  entry.compressedSize += END_OF_DATA.byteLength;
  yield END_OF_DATA;
}

/** Compresses one piece. The result ends on a byte boundary, so that another piece can follow. */
function deflateChunk(chunk: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    deflateRaw(chunk, { finishFlush: constants.Z_SYNC_FLUSH }, (error, deflated) => {
      if (error === null) resolve(deflated);
      else reject(error);
    });
  });
}

function buildDirectory(entries: readonly Entry[], time: number, offset: number): Buffer<ArrayBuffer> {
  const entryRecords = entries.map((entry) => buildDirectoryEntry(entry, time));
  const directory = Buffer.concat(entryRecords);
  const needsZip64 = offset + directory.byteLength >= MAX_UINT32 || entries.length >= MAX_UINT16;
  const end = Buffer.alloc(18);
  const count = Math.min(entries.length, MAX_UINT16);
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(Math.min(directory.byteLength, MAX_UINT32), 8);
  end.writeUInt32LE(Math.min(offset, MAX_UINT32), 12);
  return Buffer.concat([
    directory,
    ...(needsZip64 ? [buildZip64End(entries.length, directory.byteLength, offset)] : []),
    encodeSignature("PK\x05\x06"),
    end,
  ]);
}

/** Builds a file's entry in the central directory. */
function buildDirectoryEntry(entry: Entry, time: number): Buffer<ArrayBuffer> {
  const needsZip64 = entry.offset >= MAX_UINT32;
  const extra = Buffer.alloc(needsZip64 ? 12 : 0);
  if (needsZip64) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(8, 2);
    extra.writeBigUInt64LE(BigInt(entry.offset), 4);
  }
  const version = needsZip64 ? VERSION_64 : VERSION;
  const sharedFields = encodeSharedFields(entry, time, version);
  sharedFields.writeUInt16LE(extra.byteLength, 24);
  const fields = Buffer.alloc(14);
  fields.writeUInt32LE(Math.min(entry.offset, MAX_UINT32), 10);
  return Buffer.concat([
    encodeSignature("PK\x01\x02"),
    Uint8Array.of(version, 0),
    sharedFields,
    fields,
    entry.name,
    extra,
  ]);
}

/** Builds the ZIP64 end-of-directory record and its locator, for values that don't fit into 32 bits. */
function buildZip64End(count: number, length: number, offset: number): Buffer<ArrayBuffer> {
  const end = Buffer.alloc(52);
  end.writeBigUInt64LE(44n, 0);
  end.writeUInt16LE(VERSION_64, 8);
  end.writeUInt16LE(VERSION_64, 10);
  end.writeBigUInt64LE(BigInt(count), 20);
  end.writeBigUInt64LE(BigInt(count), 28);
  end.writeBigUInt64LE(BigInt(length), 36);
  end.writeBigUInt64LE(BigInt(offset), 44);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(offset + length), 4);
  locator.writeUInt32LE(1, 12);
  return Buffer.concat([encodeSignature("PK\x06\x06"), end, encodeSignature("PK\x06\x07"), locator]);
}

/**
 * Encodes the fields that a file's local header and its directory entry share. In the local header, the sizes are not known yet.
 */
function encodeSharedFields(entry: Entry, time: number, version: number): Buffer<ArrayBuffer> {
  const sharedFields = Buffer.alloc(26);
  sharedFields.writeUInt16LE(version, 0);
  sharedFields.writeUInt16LE(FLAGS, 2);
  sharedFields.writeUInt16LE(DEFLATE_METHOD, 4);
  sharedFields.writeUInt32LE(time, 6);
  sharedFields.set(encodeSizes(entry), 10);
  sharedFields.writeUInt16LE(entry.name.byteLength, 22);
  return sharedFields;
}

function encodeSizes({ crc, compressedSize, size }: Entry): Buffer<ArrayBuffer> {
  const sizes = Buffer.alloc(12);
  sizes.writeUInt32LE(crc, 0);
  sizes.writeUInt32LE(compressedSize, 4);
  sizes.writeUInt32LE(size, 8);
  return sizes;
}

/** Converts a time to the MS-DOS format, which has a resolution of two seconds. Times before 1980 become the start of 1980. */
function toDosTime(ms: number): number {
  const date = new Date(ms);
  const year = date.getUTCFullYear() - 1980;
  if (year < 0) return 0x0021_0000;
  const day = (year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return ((day << 16) | time) >>> 0;
}

function encodeSignature(text: string): Buffer<ArrayBuffer> {
  return Buffer.from(text, "latin1");
}
