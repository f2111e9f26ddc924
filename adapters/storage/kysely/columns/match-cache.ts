import { Bitmap, type Chunk, chunkOf, clearBit, emptyChunk, setBit } from "../../../../src/storage/bitmap.js";

/** Maximum number of recorded changes. Beyond it, all users are evaluated again. */
const MAX_CHANGES = 2_000;

/** Approximate overhead in bytes: of a result without its bits and key, and of each of its chunks without the bits. */
const BYTES_PER_RESULT = 500;
const BYTES_PER_CHUNK = 200;

/** The users who matched a condition after a certain number of changes. */
interface CachedMatch {
  readonly set: Bitmap;
  /** The number of changes that the result includes. */
  readonly changes: number;
  /**
   * Results of {@link MatchCache.filterUsers}, keyed by a state's users. An entry is garbage-collected when no reader holds the state.
   */
  readonly filteredUsers: WeakMap<Bitmap, Bitmap>;
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
  recordChange(ordinal: number): void {
    if (this.#matches.size === 0) return;
    if (this.#changedOrdinals.length >= MAX_CHANGES) this.clear();
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
   * @param matchesUser a function that evaluates the condition for one user.
   * @param maxBytes the approximate maximum size of all results, in bytes. If it is exceeded, the least recently used results are
   *   dropped.
   */
  getOrFind(
    key: string,
    find: () => Bitmap,
    matchesUser: (ordinal: number) => boolean,
    maxBytes: number,
  ): Bitmap {
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
        : applyChanges(cached.set, this.#changedOrdinals.slice(cached.changes), matchesUser);
    this.#store(
      key,
      { set, changes, filteredUsers: new WeakMap(), bytes: estimateBytes(key, set) },
      maxBytes,
    );
    return set;
  }

  /**
   * Filters the given users to those in a set from {@link getOrFind}, or to those not in it if `isOpposite` is `true`.
   * @param key the key that was passed to {@link getOrFind} for this set.
   * @param isOpposite whether to return the users who aren't in the set. Must be the same in all calls with the same key.
   */
  filterUsers(key: string, set: Bitmap, users: Bitmap, isOpposite: boolean, maxBytes: number): Bitmap {
    const cached = this.#matches.get(key);
    const cachedUsers = cached?.set === set ? cached.filteredUsers.get(users) : undefined;
    if (cachedUsers !== undefined) return cachedUsers;
    const matches = isOpposite ? users.without(set) : set.and(users);
    if (cached?.set !== set) return matches;
    cached.filteredUsers.set(users, matches);
    this.#store(key, { ...cached, bytes: estimateBytes(key, set, matches) }, maxBytes);
    return matches;
  }

  #store(key: string, match: CachedMatch, maxBytes: number): void {
    this.#removeMatch(key);
    this.#matches.set(key, match);
    this.#bytes += match.bytes;
    for (const oldest of this.#matches.keys()) {
      if (this.#bytes <= maxBytes) break;
      this.#removeMatch(oldest);
    }
    if (this.#matches.size === 0) this.#changedOrdinals = [];
  }

  #removeMatch(key: string): void {
    this.#bytes -= this.#matches.get(key)?.bytes ?? 0;
    this.#matches.delete(key);
  }
}

/** Reevaluates the given users and returns an updated copy of the set, or the set itself if nothing changed. */
export function applyChanges(
  set: Bitmap,
  ordinals: Iterable<number>,
  matchesUser: (ordinal: number) => boolean,
): Bitmap {
  const chunks = new Map<number, Chunk>();
  for (const ordinal of ordinals) {
    const isMatch = matchesUser(ordinal);
    if (isMatch === set.has(ordinal)) continue;
    const chunkIndex = chunkOf(ordinal);
    const chunk = chunks.get(chunkIndex) ?? set.chunk(chunkIndex)?.slice() ?? emptyChunk();
    chunks.set(chunkIndex, chunk);
    if (isMatch) setBit(chunk, ordinal);
    else clearBit(chunk, ordinal);
  }
  return chunks.size === 0 ? set : set.with(chunks);
}

/** Estimates the memory of a set, plus the chunks of another set that the two don't share. */
function estimateBytes(key: string, set: Bitmap, other = Bitmap.empty): number {
  let bytes = BYTES_PER_RESULT + 2 * key.length;
  for (let at = 0; at < Math.max(set.length, other.length); at += 1) {
    for (const chunk of new Set([set.chunk(at), other.chunk(at)]))
      bytes += chunk === undefined ? 8 : chunk.byteLength + BYTES_PER_CHUNK;
  }
  return bytes;
}
