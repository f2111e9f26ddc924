import {
  Bitmap,
  CHUNK_SIZE,
  type Chunk,
  chunkOf,
  emptyChunk,
  setBit,
} from "../../../../src/storage/bitmap.js";
import {
  buildLookupTable,
  type Cells,
  emptyCells,
  putCell,
  scanRange,
  scanTable,
  valueIn,
  widenCells,
} from "./column-scan.js";
import { MatchCache } from "./match-cache.js";

/** A value in a column. A user can have several values, such as the number of stamps on each stamp card. */
export type Value = number | string;

/** A condition on a single value. */
export type Match =
  | { readonly is: "within"; readonly from: number; readonly to: number }
  | { readonly is: "one of"; readonly numbers: ReadonlySet<number> }
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "language"; readonly language: string };

export function matchesValue(match: Match, value: Value): boolean {
  switch (match.is) {
    case "within":
      return typeof value === "number" && value >= match.from && value <= match.to;
    case "one of":
      return typeof value === "number" && match.numbers.has(value);
    case "text":
      return value === match.text;
    case "language":
      return (
        typeof value === "string" && (value === match.language || value.startsWith(`${match.language}-`))
      );
  }
}

/** Maximum number of a user's values stored in layers. Any further values are stored as an exception. */
const MOST_LAYERS = 4;

/** Approximate size of an exception, or of a stored text without its characters, in bytes. */
const BYTES_OF_OBJECT = 100;

/** Maximum length of a stored text. Longer texts, and texts beyond `MOST_TEXTS`, share the number `OTHER_TEXT`. */
const LONGEST_TEXT = 100;
const MOST_TEXTS = 10_000;
const OTHER_TEXT = 0;

/** The values of one property for all of an organization's users, indexed by ordinal. */
export class UserColumn {
  /**
   * The first layer holds each user's first value, the second layer the second value, and so on. Chunks without values are missing.
   */
  readonly #layers: (Cells | undefined)[][] = [];
  readonly #rest = new Map<number, readonly number[]>();
  /** Assigns a number to each distinct text, so that cells can store texts as numbers. */
  readonly #texts = new Map<string, number>();
  readonly #answers = new MatchCache();
  #hasOthers = false;
  #bytes = 0;

  /** @param position the position of the newest event that the values reflect. */
  constructor(public position: number) {}

  /** The column's approximate memory usage, in bytes. */
  get bytes(): number {
    return this.#bytes + this.#answers.bytes;
  }

  /** Replaces a user's values. An empty array removes them. */
  put(ordinal: number, values: readonly Value[]): void {
    const all = values.map((value) => this.#getOrCreateNumber(value));
    const numbers = all.length > 1 ? [...new Set(all)] : all;
    const layers = Math.max(this.#layers.length, Math.min(numbers.length, MOST_LAYERS));
    for (let layer = 0; layer < layers; layer += 1) this.#set(layer, ordinal, numbers[layer] ?? null);
    if (numbers.length > MOST_LAYERS) {
      if (!this.#rest.has(ordinal)) this.#bytes += BYTES_OF_OBJECT;
      this.#rest.set(ordinal, numbers.slice(MOST_LAYERS));
    } else if (this.#rest.delete(ordinal)) {
      this.#bytes -= BYTES_OF_OBJECT;
    }
    this.#answers.changed(ordinal);
  }

  /**
   * Returns the users who have at least one value that satisfies the condition. Returns `null` if they can't be determined
   * because the column doesn't store all of the distinct strings.
   */
  matching(match: Match): Bitmap | null {
    const scan = this.#buildScan(match);
    if (scan === null) return this.#hasOthers ? null : Bitmap.empty;
    return this.#matching(scan, scan.key);
  }

  /**
   * Returns the given users who satisfy the condition, or who don't if `isOpposite` is set. Returns `null` under the same
   * conditions as {@link matching}.
   */
  among(users: Bitmap, match: Match, isOpposite: boolean): Bitmap | null {
    const scan = this.#buildScan(match);
    if (scan === null && this.#hasOthers) return null;
    if (scan === null) return isOpposite ? users : Bitmap.empty;
    const key = isOpposite ? `not ${scan.key}` : scan.key;
    return this.#answers.among(key, this.#matching(scan, key), users, isOpposite, this.#bytes);
  }

  /** Drops the cached match results. They can be recomputed from the values. */
  clearMatchCache(): void {
    this.#answers.clear();
  }

  /** Returns the matching users. Caches the result in a cache that takes at most as much memory as the values. */
  #matching(scan: Scan, key: string): Bitmap {
    return this.#answers.getOrFind(
      key,
      () => this.#found(scan),
      (ordinal) => this.#isIn(scan, ordinal),
      this.#bytes,
    );
  }

  #found(scan: Scan): Bitmap {
    const chunks: (Chunk | undefined)[] = [];
    for (const layer of this.#layers) {
      for (const [at, cells] of layer.entries()) {
        if (cells === undefined) continue;
        const chunk = chunks[at] ?? emptyChunk();
        chunks[at] = chunk;
        scan.cells(cells, chunk);
      }
    }
    for (const [ordinal, numbers] of this.#rest) {
      const chunk = chunks[chunkOf(ordinal)];
      if (chunk !== undefined && numbers.some(scan.number)) setBit(chunk, ordinal);
    }
    return new Bitmap(Array.from(chunks));
  }

  #isIn(scan: Scan, ordinal: number): boolean {
    for (const layer of this.#layers) {
      const cells = layer[chunkOf(ordinal)];
      const value = cells === undefined ? null : valueIn(cells, ordinal % CHUNK_SIZE);
      if (value !== null && scan.number(value)) return true;
    }
    return this.#rest.get(ordinal)?.some(scan.number) ?? false;
  }

  #buildScan(match: Match): Scan | null {
    switch (match.is) {
      case "within":
        return within(match.from, match.to);
      case "one of":
        return getOrCreateScan(match.numbers);
      case "text": {
        const number = this.#texts.get(match.text);
        return number === undefined ? null : within(number, number);
      }
      case "language": {
        if (this.#hasOthers) return null;
        const texts = [...this.#texts].filter(([text]) => matchesValue(match, text));
        return getOrCreateScan(new Set(texts.map(([, number]) => number)));
      }
    }
  }

  #set(layer: number, ordinal: number, value: number | null): void {
    const chunks = this.#layers[layer] ?? [];
    this.#layers[layer] = chunks;
    const at = chunkOf(ordinal);
    const known = chunks[at];
    if (known === undefined && value === null) return;
    const cells = value === null ? (known ?? emptyCells()) : widenCells(known ?? emptyCells(), value);
    if (cells !== known) this.#bytes += cells.byteLength - (known?.byteLength ?? 0);
    chunks[at] = cells;
    putCell(cells, ordinal % CHUNK_SIZE, value);
  }

  #getOrCreateNumber(value: Value): number {
    if (typeof value === "number") return value;
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    if (value.length > LONGEST_TEXT || this.#texts.size >= MOST_TEXTS) {
      this.#hasOthers = true;
      return OTHER_TEXT;
    }
    const number = this.#texts.size + 1;
    this.#texts.set(value, number);
    this.#bytes += BYTES_OF_OBJECT + 2 * value.length;
    return number;
  }
}

/** A way to search values. Scans with the same key find the same users. */
interface Scan {
  readonly key: string;
  cells(cells: Cells, found: Chunk): void;
  number(value: number): boolean;
}

function within(from: number, to: number): Scan {
  return {
    key: `${from} to ${to}`,
    cells: (cells, found) => scanRange(cells, from, to, found),
    number: (value) => value >= from && value <= to,
  };
}

/** Caches scans by their set of numbers, because a set may be large, such as all days of a year. */
const scansOfNumbers = new WeakMap<ReadonlySet<number>, Scan>();

function getOrCreateScan(numbers: ReadonlySet<number>): Scan {
  const known = scansOfNumbers.get(numbers);
  if (known !== undefined) return known;
  let table: Uint8Array | null = null;
  const scan: Scan = {
    key: [...numbers].join(),
    cells: (cells, found) => {
      table ??= buildLookupTable(numbers);
      scanTable(cells, table, found);
    },
    number: (value) => numbers.has(value),
  };
  scansOfNumbers.set(numbers, scan);
  return scan;
}
