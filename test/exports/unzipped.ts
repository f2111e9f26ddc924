import assert from "node:assert/strict";
import { crc32, inflateRawSync } from "node:zlib";

interface Line {
  readonly name: string;
  readonly offset: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
}

/** Reads the directory at the end of a ZIP archive, where programs start to read it. @param start as in `unzip`. */
export function* readDirectory(archive: Buffer, start = 0): Generator<Line, void, undefined> {
  const end = archive.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  assert.ok(end >= 0, "it isn't a ZIP archive, or is truncated");
  assert.equal(end + 22, archive.length, "the archive ends with its directory");
  let entryCount = archive.readUInt16LE(end + 10);
  let offset = archive.readUInt32LE(end + 16);
  if (offset === 0xffff_ffff || entryCount === 0xffff) {
    assert.equal(archive.readUInt32LE(end - 20), 0x07064b50);
    const large = Number(archive.readBigUInt64LE(end - 12)) - start;
    assert.equal(archive.readUInt32LE(large), 0x06064b50);
    entryCount = Number(archive.readBigUInt64LE(large + 32));
    offset = Number(archive.readBigUInt64LE(large + 48));
  }
  for (let at = offset - start; entryCount > 0; entryCount -= 1) {
    assert.equal(archive.readUInt32LE(at), 0x02014b50);
    assert.equal(archive.readUInt16LE(at + 10), 8, "the file is compressed");
    const [nameLength, extraLength] = [archive.readUInt16LE(at + 28), archive.readUInt16LE(at + 30)];
    const localOffset = archive.readUInt32LE(at + 42);
    if (localOffset === 0xffff_ffff) assert.equal(archive.readUInt16LE(at + 46 + nameLength), 1);
    yield {
      name: archive.toString("utf8", at + 46, at + 46 + nameLength),
      offset:
        localOffset === 0xffff_ffff ? Number(archive.readBigUInt64LE(at + 50 + nameLength)) : localOffset,
      crc: archive.readUInt32LE(at + 16),
      compressedSize: archive.readUInt32LE(at + 20),
      size: archive.readUInt32LE(at + 24),
    };
    at += 46 + nameLength + extraLength;
  }
}

/** Unzips the files of an archive, by name. @param start how many bytes come before this part of the archive. */
export function unzip(archive: Buffer, start = 0): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const { name, offset, crc, compressedSize, size } of readDirectory(archive, start)) {
    const local = offset - start;
    assert.equal(archive.readUInt32LE(local), 0x04034b50);
    const contentStart = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const end = contentStart + compressedSize;
    const content = inflateRawSync(archive.subarray(contentStart, end));
    assert.equal(content.length, size);
    assert.equal(crc32(content), crc);
    const foot = [0, 4, 8, 12].map((field) => archive.readUInt32LE(end + field));
    assert.deepEqual(foot, [0x08074b50, crc, compressedSize, size], "the checksum and sizes follow the file");
    assert.ok(!files.has(name), `${name} is in it twice`);
    files.set(name, content);
  }
  return files;
}

/** Collects all bytes of an archive. */
export async function collectArchive(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
