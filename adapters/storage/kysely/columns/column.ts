import {
  Bitmap,
  CHUNK_SIZE,
  type Chunk,
  chunkOf,
  emptyChunk,
  setBit,
} from "../../../../src/storage/bitmap.js";
import type { ChangeTimes } from "./change-times.js";
import { MatchCache } from "./match-cache.js";

const MAX_BYTE_VALUE = 254;

const MAX_INTEGER_VALUE = 2 ** 31 - 2;

/**
 * Minimum size of a lookup table. Days of the year and text numbers are usually smaller, and reading past the end of a table is ten
 * times slower.
 */
const MIN_TABLE_SIZE = 16_384;

/** A value in a column. A user can have several values, such as one stamp count per stamp card. */
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
const MAX_LAYERS = 4;

/** Approximate size of an exception, or of a stored text without its characters, in bytes. */
const BYTES_PER_OBJECT = 100;

/** Maximum length of a stored text. Longer texts, and texts beyond `MAX_TEXTS`, share the number `OTHER_TEXT`. */
const MAX_TEXT_LENGTH = 100;
const MAX_TEXTS = 10_000;
const OTHER_TEXT = 0;

/** The values of one property for all of an organization's users, indexed by ordinal. */
export class UserColumn {
  /**
   * The first layer holds each user's first value, the second layer the second value, and so on. Chunks without values are missing.
   */
  readonly #layers: (Cells | undefined)[][] = [];
  readonly #otherValues = new Map<number, readonly number[]>();
  /** The numbers assigned to distinct strings, so that cells can store strings as numbers. */
  readonly #texts = new Map<string, number>();
  readonly #matches = new MatchCache();
  #hasOtherTexts = false;
  #bytes = 0;

  /**
   * @param position the position of the newest event that the values reflect.
   * @param times when the values change by time alone, or `null` if only events change them.
   */
  constructor(
    public position: number,
    readonly times: ChangeTimes | null = null,
  ) {}

  /** The column's approximate memory usage, in bytes. */
  get bytes(): number {
    return this.#bytes + this.#matches.bytes + (this.times?.bytes ?? 0);
  }

  /** Returns whether the column reflects a newer state than another one, or another time of the same state. */
  isNewerThan({ position, times }: UserColumn): boolean {
    return this.position > position || (this.position === position && this.times?.at !== times?.at);
  }

  /** Replaces a user's values. An empty array removes them. */
  put(ordinal: number, values: readonly Value[]): void {
    const all = values.map((value) => this.#getOrCreateNumber(value));
    const numbers = all.length > 1 ? [...new Set(all)] : all;
    const layers = Math.max(this.#layers.length, Math.min(numbers.length, MAX_LAYERS));
    for (let layer = 0; layer < layers; layer += 1) this.#set(layer, ordinal, numbers[layer] ?? null);
    if (numbers.length > MAX_LAYERS) {
      if (!this.#otherValues.has(ordinal)) this.#bytes += BYTES_PER_OBJECT;
      this.#otherValues.set(ordinal, numbers.slice(MAX_LAYERS));
    } else if (this.#otherValues.delete(ordinal)) {
      this.#bytes -= BYTES_PER_OBJECT;
    }
    this.#matches.recordChange(ordinal);
  }

  /**
   * Returns the users who have at least one value that satisfies the condition. Returns `null` if they can't be determined
   * because the column doesn't store all of the distinct strings.
   */
  findMatches(match: Match): Bitmap | null {
    const scan = this.#buildScan(match);
    if (scan === null) return this.#hasOtherTexts ? null : Bitmap.empty;
    return this.#findOrScan(scan, scan.key);
  }

  /**
   * Returns the given users who satisfy the condition, or who don't if `isOpposite` is set. Returns `null` under the same
   * conditions as {@link findMatches}.
   */
  filterUsers(users: Bitmap, match: Match, isOpposite: boolean): Bitmap | null {
    const scan = this.#buildScan(match);
    if (scan === null && this.#hasOtherTexts) return null;
    if (scan === null) return isOpposite ? users : Bitmap.empty;
    const key = isOpposite ? `not ${scan.key}` : scan.key;
    return this.#matches.filterUsers(key, this.#findOrScan(scan, key), users, isOpposite, this.#bytes);
  }

  /** Drops the cached match results. They can be recomputed from the values. */
  clearMatchCache(): void {
    this.#matches.clear();
  }

  /** Returns the matching users and caches the result. The cache takes up at most as much memory as the values. */
  #findOrScan(scan: Scan, key: string): Bitmap {
    return this.#matches.getOrFind(
      key,
      () => this.#runScan(scan),
      (ordinal) => this.#matchesUser(scan, ordinal),
      this.#bytes,
    );
  }

  #runScan(scan: Scan): Bitmap {
    const chunks: (Chunk | undefined)[] = [];
    for (const layer of this.#layers) {
      for (const [at, cells] of layer.entries()) {
        if (cells === undefined) continue;
        const chunk = chunks[at] ?? emptyChunk();
        chunks[at] = chunk;
        scan.scanCells(cells, chunk);
      }
    }
    for (const [ordinal, numbers] of this.#otherValues) {
      const chunk = chunks[chunkOf(ordinal)];
      if (chunk !== undefined && numbers.some(scan.matchesNumber)) setBit(chunk, ordinal);
    }
    return new Bitmap(Array.from(chunks));
  }

  #matchesUser(scan: Scan, ordinal: number): boolean {
    for (const layer of this.#layers) {
      const cells = layer[chunkOf(ordinal)];
      const value = cells === undefined ? null : readCell(cells, ordinal % CHUNK_SIZE);
      if (value !== null && scan.matchesNumber(value)) return true;
    }
    return this.#otherValues.get(ordinal)?.some(scan.matchesNumber) ?? false;
  }

  #buildScan(match: Match): Scan | null {
    switch (match.is) {
      case "within":
        return createRangeScan(match.from, match.to);
      case "one of":
        return getOrCreateScan(match.numbers);
      case "text": {
        const number = this.#texts.get(match.text);
        return number === undefined ? null : createRangeScan(number, number);
      }
      case "language": {
        if (this.#hasOtherTexts) return null;
        const texts = [...this.#texts].filter(([text]) => matchesValue(match, text));
        return getOrCreateScan(new Set(texts.map(([, number]) => number)));
      }
    }
  }

  #set(layer: number, ordinal: number, value: number | null): void {
    const chunks = this.#layers[layer] ?? [];
    this.#layers[layer] = chunks;
    const at = chunkOf(ordinal);
    const existing = chunks[at];
    if (existing === undefined && value === null) return;
    const cells =
      value === null ? (existing ?? createEmptyCells()) : widenCells(existing ?? createEmptyCells(), value);
    if (cells !== existing) this.#bytes += cells.byteLength - (existing?.byteLength ?? 0);
    chunks[at] = cells;
    putCell(cells, ordinal % CHUNK_SIZE, value);
  }

  #getOrCreateNumber(value: Value): number {
    if (typeof value === "number") return value;
    const existing = this.#texts.get(value);
    if (existing !== undefined) return existing;
    if (value.length > MAX_TEXT_LENGTH || this.#texts.size >= MAX_TEXTS) {
      this.#hasOtherTexts = true;
      return OTHER_TEXT;
    }
    const number = this.#texts.size + 1;
    this.#texts.set(value, number);
    this.#bytes += BYTES_PER_OBJECT + 2 * value.length;
    return number;
  }
}

/** A way to search values. Scans with the same key find the same users. */
interface Scan {
  readonly key: string;
  scanCells(cells: Cells, matches: Chunk): void;
  matchesNumber(value: number): boolean;
}

function createRangeScan(from: number, to: number): Scan {
  return {
    key: `${from} to ${to}`,
    scanCells: (cells, matches) => scanRange(cells, from, to, matches),
    matchesNumber: (value) => value >= from && value <= to,
  };
}

/** Caches scans by their set of numbers, because a set may be large, such as all days of a year. */
const scanCache = new WeakMap<ReadonlySet<number>, Scan>();

function getOrCreateScan(numbers: ReadonlySet<number>): Scan {
  const existing = scanCache.get(numbers);
  if (existing !== undefined) return existing;
  let table: Uint8Array | null = null;
  const scan: Scan = {
    key: [...numbers].join(),
    scanCells: (cells, matches) => {
      table ??= buildLookupTable(numbers);
      scanTable(cells, table, matches);
    },
    matchesNumber: (value) => numbers.has(value),
  };
  scanCache.set(numbers, scan);
  return scan;
}

/**
 * One value for each user in a chunk, stored in the smallest type that fits. Byte and integer cells store whole numbers plus one,
 * and 0 means no value. Float cells store numbers unchanged, and NaN means no value.
 */
type Cells = Uint8Array | Int32Array | Float64Array;

function createEmptyCells(): Cells {
  return new Uint8Array(CHUNK_SIZE);
}

/** Returns cells that can hold the value. Returns the same cells if the value fits, or a copy with a wider type otherwise. */
function widenCells(cells: Cells, value: number): Cells {
  if (fits(cells, value)) return cells;
  const isInteger = Number.isInteger(value) && value >= 0 && value <= MAX_INTEGER_VALUE;
  if (isInteger && cells instanceof Uint8Array) return Int32Array.from(cells);
  const widened = new Float64Array(cells.length);
  for (let at = 0; at < widened.length; at += 1)
    widened[at] = (cells[at] ?? 0) === 0 ? Number.NaN : (cells[at] ?? 0) - 1;
  return widened;
}

function fits(cells: Cells, value: number): boolean {
  if (cells instanceof Float64Array) return true;
  if (!Number.isInteger(value) || value < 0) return false;
  return value <= (cells instanceof Uint8Array ? MAX_BYTE_VALUE : MAX_INTEGER_VALUE);
}

/**
 * Stores a value in a cell.
 * @param cells the cells that {@link widenCells} returned for this value.
 * @param value the value, or `null` to clear the cell.
 */
function putCell(cells: Cells, at: number, value: number | null): void {
  if (cells instanceof Float64Array) cells[at] = value ?? Number.NaN;
  else cells[at] = value === null ? 0 : value + 1;
}

/** Returns the value that {@link putCell} stored in a cell, or `null` if the cell is empty. */
function readCell(cells: Cells, at: number): number | null {
  const cell = cells[at];
  if (cell === undefined) return null;
  if (cells instanceof Float64Array) return Number.isNaN(cell) ? null : cell;
  return cell === 0 ? null : cell - 1;
}

/** Finds the users whose value is between `from` and `to`, inclusive, and adds them to `found`. */
function scanRange(cells: Cells, from: number, to: number, matches: Chunk): void {
  if (cells instanceof Float64Array) {
    scanNumbers(cells, from, to, matches);
    return;
  }
  const lowest = Math.max(Math.ceil(from) + 1, 1);
  const highest = Math.min(Math.floor(to) + 1, MAX_INTEGER_VALUE + 1);
  if (lowest > highest) return;
  // The sign bits of the differences show whether a value is within the bounds. This takes a third of the time of comparisons.
  for (let word = 0, at = 0; word < matches.length; word += 1) {
    let bits = 0;
    for (let bit = 0; bit < 32; bit += 1, at += 1) {
      const value = cells[at] ?? 0;
      bits |= (~((value - lowest) | (highest - value)) >>> 31) << bit;
    }
    matches[word] = (matches[word] ?? 0) | bits;
  }
}

function scanNumbers(cells: Float64Array, from: number, to: number, matches: Chunk): void {
  for (let word = 0, at = 0; word < matches.length; word += 1) {
    let bits = 0;
    for (let bit = 0; bit < 32; bit += 1, at += 1) {
      const value = cells[at] ?? Number.NaN;
      if (value >= from && value <= to) bits |= 1 << bit;
    }
    matches[word] = (matches[word] ?? 0) | bits;
  }
}

/**
 * Builds a lookup table for {@link scanTable}. For each number n in the set, the entry at index n + 1 is 1. All other entries are
 * 0.
 */
function buildLookupTable(numbers: ReadonlySet<number>): Uint8Array {
  const table = new Uint8Array(Math.max(MIN_TABLE_SIZE, ...numbers) + 2);
  for (const number of numbers) table[number + 1] = 1;
  return table;
}

/** Finds the users whose value is marked with 1 in a lookup table from {@link buildLookupTable}, and adds them to `found`. */
function scanTable(cells: Cells, table: Uint8Array, matches: Chunk): void {
  const shift = cells instanceof Float64Array ? 1 : 0;
  for (let word = 0, at = 0; word < matches.length; word += 1) {
    let bits = 0;
    for (let bit = 0; bit < 32; bit += 1, at += 1) bits |= (table[(cells[at] ?? 0) + shift] ?? 0) << bit;
    matches[word] = (matches[word] ?? 0) | bits;
  }
}
