import type { Chunk } from "../../../src/storage/bitmap.js";
import type { SetVersions } from "../segments/set-versions.js";
import type { Counters } from "./organizations.js";

/** An organization's counters as the commit will leave them. */
export interface BufferedCounters {
  readonly values: Readonly<Counters>;
  /** The counters in the organization's row; `null` if it has no row. */
  readonly row: Readonly<Counters> | null;
  /** The row's counters combined with the newest event's deferred counters. */
  readonly told: Readonly<Counters> | null;
  /** Versions that the newest event carries for sets whose rows are outdated. */
  readonly sets: SetVersions;
  readonly isChanged: boolean;
  /** True if the organization is new and has stored nothing. */
  readonly isUnused: boolean;
}

/** The cached part of a committed state: organizations' counters and chunks of sets. */
export interface CachedState {
  readonly counters: Map<string, BufferedCounters>;
  readonly sets: ChunkCache;
}

/** Maximum number of organizations whose counters are cached. It is low because each commit iterates over all of them. */
const MOST = 100;

/**
 * Caches state from the newest commit, so that the next one doesn't need to read it. Drops the state if a commit fails, or if
 * another commit may have happened in between.
 */
export class CommitCache {
  #state: object | null = null;
  #known: CachedState = emptyState();

  /** Returns the cached part of a committed state and drops it from the cache. The caller may change it. */
  take(state: object | null): CachedState {
    const known = state !== null && state === this.#state ? this.#known : emptyState();
    this.#state = null;
    this.#known = emptyState();
    return known;
  }

  /** Caches the state that the commit is about to leave, for the next commit. */
  note(state: object, known: CachedState): void {
    const { counters } = known;
    for (const oldest of counters.keys()) {
      if (counters.size <= MOST) break;
      counters.delete(oldest);
    }
    this.#state = state;
    this.#known = known;
  }
}

/** Returns an empty state, for use before the first commit. */
export function emptyState(): CachedState {
  return { counters: new Map(), sets: new ChunkCache() };
}

/** Maximum number of cached chunks, 1,920 bytes each. This is enough for one tag with eight million users. */
const MOST_CHUNKS = 512;

interface KnownSet {
  version: number;
  readonly chunks: Map<number, Chunk>;
}

/** Caches chunks from the newest commits, so that the next commit doesn't need to read them. Callers must not change the chunks. */
export class ChunkCache {
  readonly #sets = new Map<string, KnownSet>();
  #size = 0;

  find(organizationId: string, setId: number): Readonly<KnownSet> | undefined {
    return this.#sets.get(keyOf(organizationId, setId));
  }

  /** Caches the chunks that a commit has written. The set's other cached chunks stay. */
  note(organizationId: string, setId: number, version: number, written: ReadonlyMap<number, Chunk>): void {
    const key = keyOf(organizationId, setId);
    const set = this.#sets.get(key) ?? { version, chunks: new Map<number, Chunk>() };
    this.#size -= set.chunks.size;
    set.version = version;
    for (const [at, bits] of written) set.chunks.set(at, bits);
    this.#size += set.chunks.size;
    // A map keeps insertion order, so the first key is the set written least recently.
    this.#sets.delete(key);
    this.#sets.set(key, set);
    for (const [oldest, { chunks }] of this.#sets) {
      if (this.#size <= MOST_CHUNKS) break;
      this.#sets.delete(oldest);
      this.#size -= chunks.size;
    }
  }

  /** Drops all chunks, because other statements are about to change the rows. */
  clear(): void {
    this.#sets.clear();
    this.#size = 0;
  }
}

function keyOf(organizationId: string, setId: number): string {
  return `${setId} ${organizationId}`;
}
