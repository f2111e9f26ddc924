import { Bitmap, type Chunk, chunkOf, clearBit, emptyChunk, setBit } from "../../../src/storage/bitmap.js";

/** After this many changes, all users are evaluated again. */
const MOST_CHANGES = 2_000;

/** The approximate size of a result beside its bits and its key, and of a chunk of it beside the bits, in bytes. */
const BYTES_OF_ANSWER = 500;
const BYTES_OF_CHUNK = 200;

/** The users who matched a condition, after some of the changes. */
interface CachedMatch {
  readonly set: Bitmap;
  /** The number of changes that are in it. */
  readonly changes: number;
  /** Results of {@link MatchCache.among}, by the users of a state. An entry goes when no reader has the state. */
  readonly among: WeakMap<Bitmap, Bitmap>;
  readonly bytes: number;
}

/**
 * Keeps of whom conditions on the values of a column were found to be true. A change is noted once, however many conditions are kept,
 * and looked at when one of them is asked for again.
 */
export class MatchCache {
  /** By a name of the condition. The one asked for longest ago comes first. */
  readonly #answers = new Map<string, CachedMatch>();
  /** The users who changed since the changes were last forgotten. */
  #changed: number[] = [];
  #bytes = 0;

  /** The memory that all take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Notes that a user's values changed. */
  changed(ordinal: number): void {
    if (this.#answers.size === 0) return;
    if (this.#changed.length >= MOST_CHANGES) this.clear();
    else this.#changed.push(ordinal);
  }

  clear(): void {
    this.#answers.clear();
    this.#changed = [];
    this.#bytes = 0;
  }

  /**
   * Returns the users who match a condition.
   * @param find evaluates all of them.
   * @param isIn evaluates one of them.
   * @param room the bytes that all results may take, approximately; the least recently used go first.
   */
  getOrFind(key: string, find: () => Bitmap, isIn: (ordinal: number) => boolean, room: number): Bitmap {
    const known = this.#answers.get(key);
    const { length: changes } = this.#changed;
    if (known?.changes === changes) {
      this.#answers.delete(key);
      this.#answers.set(key, known);
      return known.set;
    }
    const set =
      known === undefined ? find() : withChanges(known.set, this.#changed.slice(known.changes), isIn);
    this.#keep(key, { set, changes, among: new WeakMap(), bytes: estimateBytes(key, set) }, room);
    return set;
  }

  /**
   * Returns the users of a state who are in a set from {@link set}, or those who aren't.
   * @param isOpposite must be the same for each call with one key.
   */
  among(key: string, set: Bitmap, users: Bitmap, isOpposite: boolean, room: number): Bitmap {
    const kept = this.#answers.get(key);
    const known = kept?.set === set ? kept.among.get(users) : undefined;
    if (known !== undefined) return known;
    const found = isOpposite ? users.without(set) : set.and(users);
    if (kept?.set !== set) return found;
    kept.among.set(users, found);
    this.#keep(key, { ...kept, bytes: estimateBytes(key, set, found) }, room);
    return found;
  }

  #keep(key: string, answer: CachedMatch, room: number): void {
    this.#forget(key);
    this.#answers.set(key, answer);
    this.#bytes += answer.bytes;
    for (const oldest of this.#answers.keys()) {
      if (this.#bytes <= room) break;
      this.#forget(oldest);
    }
    if (this.#answers.size === 0) this.#changed = [];
  }

  #forget(key: string): void {
    this.#bytes -= this.#answers.get(key)?.bytes ?? 0;
    this.#answers.delete(key);
  }
}

/** The set, where some users are in it if it is so of them. */
export function withChanges(
  set: Bitmap,
  ordinals: Iterable<number>,
  isIn: (ordinal: number) => boolean,
): Bitmap {
  const chunks = new Map<number, Chunk>();
  for (const ordinal of ordinals) {
    const isSo = isIn(ordinal);
    if (isSo === set.has(ordinal)) continue;
    const at = chunkOf(ordinal);
    const chunk = chunks.get(at) ?? set.chunk(at)?.slice() ?? emptyChunk();
    chunks.set(at, chunk);
    if (isSo) setBit(chunk, ordinal);
    else clearBit(chunk, ordinal);
  }
  return chunks.size === 0 ? set : set.with(chunks);
}

/** The memory of a set, and of those chunks of another that are not the same ones, about. */
function estimateBytes(key: string, set: Bitmap, other = Bitmap.empty): number {
  let bytes = BYTES_OF_ANSWER + 2 * key.length;
  for (let at = 0; at < Math.max(set.length, other.length); at += 1) {
    for (const chunk of new Set([set.chunk(at), other.chunk(at)]))
      bytes += chunk === undefined ? 8 : chunk.byteLength + BYTES_OF_CHUNK;
  }
  return bytes;
}
