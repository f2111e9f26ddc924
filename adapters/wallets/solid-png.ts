import { crc32, deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const PALETTE = 3;

/** The pixels by the side of the square: they take time to compress, and are the same in every color. */
const squares = new Map<number, Buffer>();

/**
 * A square PNG (ISO/IEC 15948) of one color, `#RRGGBB`: the only one in its palette, so that it has some 150 bytes and takes no
 * time whatever its size, since strangers may ask for any color. @param side one of few: each is remembered.
 */
export function createSolidPng(side: number, color: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([1, PALETTE], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(color.slice(1), "hex")),
    square(side),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Every pixel has the first color; each row begins with its filter. */
function square(side: number): Buffer {
  const known =
    squares.get(side) ?? chunk("IDAT", deflateSync(Buffer.alloc(side * (1 + Math.ceil(side / 8)))));
  squares.set(side, known);
  return known;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
