import { crc32 } from "node:zlib";

/**
 * The earliest date that a ZIP file can store. All files have the same date, so that the same files always produce the same bytes.
 */
const DATE = 0x0021;
const VERSION = 20;
/** Flag: names are UTF-8. */
const FLAGS = 0x0800;

/**
 * Builds an uncompressed ZIP archive (APPNOTE.TXT 6.3). Most of the content is pictures, which are already compressed, so
 * compression wouldn't help much.
 * @param files the files' contents, keyed by file name and in archive order. The total size must be less than 4 GiB.
 */
export function buildZip(files: ReadonlyMap<string, Uint8Array>): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const [text, content] of files) {
    const name = Buffer.from(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION, 0);
    common.writeUInt16LE(FLAGS, 2);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(content.byteLength, 14);
    common.writeUInt32LE(content.byteLength, 18);
    common.writeUInt16LE(name.byteLength, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, name, content]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\x01\x02", "latin1"), Buffer.from([VERSION, 0]), common, place, name);
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
