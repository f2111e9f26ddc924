import { Bitmap, type Chunk, chunkOf, clearBit, emptyChunk, setBit } from "../../../../src/storage/bitmap.js";

/** Maximum number of recorded changes. Beyond it, all users are evaluated again. */
const MOST_CHANGES = 2_000;

/** Approximate overhead in bytes: of a result without its bits and key, and of each of its chunks without the bits. */
const BYTES_OF_ANSWER = 500;
const BYTES_OF_CHUNK = 200;

/** The users who matched a condition after a certain number of changes. */
interface CachedMatch {
  readonly set: Bitmap;
  /** The number of changes that the result includes. */
  readonly changes: number;
  /**
   * Results of {@link MatchCache.among}, keyed by a state's users. An entry is garbage-collected when no reader holds the state.
   */
  readonly among: WeakMap<Bitmap, Bitmap>;
  readonly bytes: number;
}

/**
 * Caches which users satisfy conditions on a column's values. A changed user is recorded only once, no matter how many results are
 * cached. Each result is updated the next time it is used.
 */
export class MatchCache {
  /** The cached results, keyed by condition, least recently used first. */
  readonly #matches = new Map<string, CachedMatch>();
  /** The ordinals of the users who have changed since the list was last cleared. */
  #changedOrdinals: number[] = [];
  #bytes = 0;

  /** The approximate memory usage of all results, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records that a user's values changed. Cached results are updated the next time they are used. */
  changed(ordinal: number): void {
    if (this.#matches.size === 0) return;
    if (this.#changedOrdinals.length >= MOST_CHANGES) this.clear();
    else this.#changedOrdinals.push(ordinal);
  }

  clear(): void {
    this.#matches.clear();
    this.#changedOrdinals = [];
    this.#bytes = 0;
  }

  /**
   * Returns the users who satisfy a condition, from the cache if possible.
   * @param key the condition's key in the cache.
   * @param find a function that evaluates the condition for all users.
   * @param isIn a function that evaluates the condition for one user.
   * @param maxBytes the approximate maximum size of all results, in bytes. If it is exceeded, the least recently used results are
   *   dropped.
   */
  getOrFind(key: string, find: () => Bitmap, isIn: (ordinal: number) => boolean, maxBytes: number): Bitmap {
    const cached = this.#matches.get(key);
    const { length: changes } = this.#changedOrdinals;
    if (cached?.changes === changes) {
      this.#matches.delete(key);
      this.#matches.set(key, cached);
      return cached.set;
    }
    const set =
      cached === undefined
        ? find()
        : withChanges(cached.set, this.#changedOrdinals.slice(cached.changes), isIn);
    this.#store(key, { set, changes, among: new WeakMap(), bytes: estimateBytes(key, set) }, maxBytes);
    return set;
  }

  /**
   * Filters the given users to those in a set from {@link getOrFind}, or to those not in it if `isOpposite` is `true`.
   * @param key the key that was passed to {@link getOrFind} for this set.
   * @param isOpposite whether to return the users who aren't in the set. Must be the same in all calls with the same key.
   */
  among(key: string, set: Bitmap, users: Bitmap, isOpposite: boolean, maxBytes: number): Bitmap {
    const cached = this.#matches.get(key);
    const cachedAmong = cached?.set === set ? cached.among.get(users) : undefined;
    if (cachedAmong !== undefined) return cachedAmong;
    const matches = isOpposite ? users.without(set) : set.and(users);
    if (cached?.set !== set) return matches;
    cached.among.set(users, matches);
    this.#store(key, { ...cached, bytes: estimateBytes(key, set, matches) }, maxBytes);
    return matches;
  }

  #store(key: string, match: CachedMatch, maxBytes: number): void {
    this.#forget(key);
    this.#matches.set(key, match);
    this.#bytes += match.bytes;
    for (const oldest of this.#matches.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#forget(oldest);
    }
    if (this.#matches.size === 0) this.#changedOrdinals = [];
  }

  #forget(key: string): void {
    this.#bytes -= this.#matches.get(key)?.bytes ?? 0;
    this.#matches.delete(key);
  }
}

/** Reevaluates the given users and returns an updated copy of the set, or the set itself if nothing changed. */
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

/** Estimates the memory of a set, plus the chunks of another set that the two don't share. */
function estimateBytes(key: string, set: Bitmap, other = Bitmap.empty): number {
  let bytes = BYTES_OF_ANSWER + 2 * key.length;
  for (let at = 0; at < Math.max(set.length, other.length); at += 1) {
    for (const chunk of new Set([set.chunk(at), other.chunk(at)]))
      bytes += chunk === undefined ? 8 : chunk.byteLength + BYTES_OF_CHUNK;
  }
  return bytes;
}
