import type { Bitmap, Chunk } from "../../../../src/storage/bitmap.js";
import type { ReadContext } from "../session/session.js";

/** The context passed to functions that read tag sets. */
export interface SetReadContext extends ReadContext {
  /** The segment cache, or `null` if the read can see uncommitted sets, which must never enter the cache. */
  readonly cache: SegmentCache | null;
}

/** A tag set's members at a committed version. */
export interface CachedSet {
  readonly version: number;
  readonly bitmap: Bitmap;
}

/**
 * Caches committed tag sets up to a total size of `limit` bytes, keeping the most recently read ones. The cache doesn't know which
 * versions are current, so readers must check a cached set's version before using it.
 */
export class SegmentCache {
  readonly #sets = new Map<string, { readonly set: CachedSet; readonly bytes: number }>();
  #bytes = 0;

  constructor(private readonly limit: number) {}

  get(organizationId: string, setId: number): CachedSet | undefined {
    const key = keyOf(organizationId, setId);
    const kept = this.#sets.get(key);
    if (kept === undefined) return undefined;
    // A map keeps insertion order, so the first key is always the least recently read set.
    this.#sets.delete(key);
    this.#sets.set(key, kept);
    return kept.set;
  }

  /** Caches a tag set, unless the same version or a newer one is already cached. */
  put(organizationId: string, setId: number, set: CachedSet): void {
    const key = keyOf(organizationId, setId);
    const kept = this.#sets.get(key);
    if (kept !== undefined && kept.set.version >= set.version) return;
    this.#forget(key);
    const bytes = estimateBytes(key, set);
    if (bytes > this.limit) return;
    this.#sets.set(key, { set, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#sets.keys()) {
      if (this.#bytes <= this.limit) break;
      this.#forget(oldest);
    }
  }

  /**
   * Applies a committed change to a cached tag set. Has no effect if the change is based on a different version than the cached
   * one.
   */
  advance({ organizationId, setId, before, version, chunks }: SetChange): void {
    const kept = this.#sets.get(keyOf(organizationId, setId))?.set;
    if (kept?.version !== before) return;
    this.put(organizationId, setId, { version, bitmap: kept.bitmap.with(chunks) });
  }

  #forget(key: string): void {
    this.#bytes -= this.#sets.get(key)?.bytes ?? 0;
    this.#sets.delete(key);
  }
}

function keyOf(organizationId: string, setId: number): string {
  return `${setId} ${organizationId}`;
}

/** Estimates the memory of an entry, including the objects around its bits. */
function estimateBytes(key: string, { bitmap }: CachedSet): number {
  let bytes = 500 + 2 * key.length;
  for (let at = 0; at < bitmap.length; at += 1) {
    const chunk = bitmap.chunk(at);
    bytes += 8 + (chunk === undefined ? 0 : chunk.byteLength + 200);
  }
  return bytes;
}

/** A committed change to a tag set, with the set's versions before and after the change and the chunks that changed. */
export interface SetChange {
  readonly organizationId: string;
  readonly setId: number;
  readonly before: number;
  readonly version: number;
  readonly chunks: ReadonlyMap<number, Chunk>;
}

/** Maximum number of chunks held in memory. After a larger transaction, chunks are read again when needed. */
const MOST_CHUNKS = 1_000;

/** Collects the tag sets that a commit writes. The changes are applied to the cache after the commit. */
export class WrittenSets {
  readonly #changes = new Map<string, SetChange>();
  #chunks = 0;

  /**
   * Adds a tag set that was written.
   * @param chunks the chunks that were written. Callers must not modify them afterward.
   */
  add(organizationId: string, setId: number, version: number, chunks: ReadonlyMap<number, Chunk>): void {
    this.#chunks += chunks.size;
    if (this.#chunks > MOST_CHUNKS) {
      this.#changes.clear();
      return;
    }
    const key = `${setId} ${organizationId}`;
    const earlier = this.#changes.get(key);
    const before = version - 1;
    // Another writer may have changed the set in the meantime.
    const change =
      earlier?.version === before
        ? { before: earlier.before, chunks: new Map([...earlier.chunks, ...chunks]) }
        : { before, chunks };
    this.#changes.set(key, { organizationId, setId, version, ...change });
  }

  [Symbol.iterator](): Iterator<SetChange> {
    return this.#changes.values();
  }
}
