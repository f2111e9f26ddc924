import { USERS_OF_BLOCK } from "../kysely/contacts/search-blocks.js";
import { BETWEEN_FOLDS } from "../kysely/contacts/search-text.js";

/**
 * Size of a block's header, in bytes. For each place in the block, it has the end of that place's text as a little-endian 32-bit
 * number.
 */
const HEADER = USERS_OF_BLOCK * 4;

/**
 * The search texts of a block of users, concatenated because searching one buffer is many times faster than searching one row per
 * user. The texts are encoded in UTF-8, and each text ends with a separator that no search term contains. A position in the block
 * without a user has an empty text and no separator.
 */
export class TextBlock {
  readonly #ends: DataView;
  readonly #texts: Buffer;

  constructor(readonly bytes: Uint8Array) {
    const { buffer, byteOffset, byteLength } = bytes;
    this.#ends = new DataView(buffer, byteOffset, HEADER);
    this.#texts = Buffer.from(buffer, byteOffset + HEADER, byteLength - HEADER);
  }

  /**
   * Builds a block.
   * @param texts the users' search texts with their positions in the block, in ascending order of position.
   */
  static of(texts: Iterable<readonly [place: number, text: string]>): TextBlock {
    const parts: Buffer[] = [];
    const lengths = new Uint32Array(USERS_OF_BLOCK);
    for (const [place, text] of texts) {
      const part = Buffer.from(text + BETWEEN_FOLDS);
      parts.push(part);
      lengths[place] = part.length;
    }
    const bytes = Buffer.concat([Buffer.alloc(HEADER), ...parts]);
    let end = 0;
    for (const [place, length] of lengths.entries()) {
      end += length;
      bytes.writeUInt32LE(end, place * 4);
    }
    return new TextBlock(bytes);
  }

  /** Returns a copy of the block in which the text at a position is replaced, or removed if `text` is `null`. */
  with(place: number, text: string | null): TextBlock {
    const part = Buffer.from(text === null ? "" : text + BETWEEN_FOLDS);
    const [from, to] = [this.#readEnd(place - 1), this.#readEnd(place)];
    const header = Buffer.from(this.bytes.subarray(0, HEADER));
    for (let at = place; at < USERS_OF_BLOCK; at += 1) {
      header.writeUInt32LE(this.#readEnd(at) + part.length - (to - from), at * 4);
    }
    return new TextBlock(
      Buffer.concat([header, this.#texts.subarray(0, from), part, this.#texts.subarray(to)]),
    );
  }

  /**
   * Finds the positions whose text contains the term, and appends each position plus `first` to `matches`.
   * @param term the term as returned by {@link toSearchBytes}.
   */
  collect(term: string, first: number, matches: number[]): void {
    const texts = this.#texts.toString("latin1");
    let place = 0;
    for (let at = texts.indexOf(term); at >= 0; at = texts.indexOf(term, this.#readEnd(place))) {
      while (this.#readEnd(place) <= at) place += 1;
      matches.push(first + place);
    }
  }

  #readEnd(place: number): number {
    return place < 0 ? 0 : this.#ends.getUint32(place * 4, true);
  }
}

/** Converts a search term to a string with one character per UTF-8 byte, because blocks are searched byte by byte. */
export function toSearchBytes(term: string): string {
  return Buffer.from(term).toString("latin1");
}
