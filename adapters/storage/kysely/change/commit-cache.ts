import type { Chunk } from "../../../../src/storage/bitmap.js";
import type { Counters } from "./organizations.js";

/** An organization's counters in the commit buffer, along with the stored values. */
export interface BufferedCounters {
  readonly values: Readonly<Counters>;
  /** The counters stored in the organization's row, or `null` if it has no row. */
  readonly row: Readonly<Counters> | null;
  readonly isChanged: boolean;
  /**
   * Whether the organization's row was created when the counters were read, and nothing has been stored for the organization since.
   */
  readonly isUnused: boolean;
}

/** The parts of the committed state that are kept in memory: organizations' counters and sets' chunks. */
export interface CommittedState {
  readonly counters: Map<string, BufferedCounters>;
  readonly chunks: ChunkCache;
}

/** Maximum number of organizations whose counters are cached. It is low because each commit iterates over all of them. */
const MAX_ORGANIZATIONS = 100;

/**
 * Caches the state after the latest commit, for use by the next commit. The cached state is discarded if a commit fails, or if
 * another commit might have happened in between.
 */
export class CommitCache {
  #state: object | null = null;
  #committed: CommittedState = createEmptyState();

  /**
   * Returns the cached counters and chunks for a committed state, or an empty state if the cache holds a different one. Empties
   * the cache, so the caller can modify the result.
   */
  take(state: object | null): CommittedState {
    const committed = state !== null && state === this.#state ? this.#committed : createEmptyState();
    this.#state = null;
    this.#committed = createEmptyState();
    return committed;
  }

  /**
   * Caches the counters and chunks as they will be after a commit. If there are too many organizations, drops the ones that were
   * read first.
   */
  store(state: object, committed: CommittedState): void {
    const { counters } = committed;
    for (const oldest of counters.keys()) {
      if (counters.size <= MAX_ORGANIZATIONS) break;
      counters.delete(oldest);
    }
    this.#state = state;
    this.#committed = committed;
  }
}

export function createEmptyState(): CommittedState {
  return { counters: new Map(), chunks: new ChunkCache() };
}

/** Maximum number of cached chunks, 1,920 bytes each. This is enough for one tag with eight million users. */
const MAX_CHUNKS = 512;

interface BufferedSetChunks {
  version: number;
  readonly chunks: Map<number, Chunk>;
}

/** Caches the chunks that recent commits have written, for use by the next commit. Callers must not modify the chunks. */
export class ChunkCache {
  readonly #sets = new Map<string, BufferedSetChunks>();
  #size = 0;

  find(organizationId: string, setId: number): Readonly<BufferedSetChunks> | undefined {
    return this.#sets.get(buildKey(organizationId, setId));
  }

  /** Caches the chunks that a commit has written to a tag set. Other cached chunks of the set are kept. */
  store(organizationId: string, setId: number, version: number, chunks: ReadonlyMap<number, Chunk>): void {
    const key = buildKey(organizationId, setId);
    const set = this.#sets.get(key) ?? { version, chunks: new Map<number, Chunk>() };
    this.#size -= set.chunks.size;
    set.version = version;
    for (const [chunkIndex, bits] of chunks) set.chunks.set(chunkIndex, bits);
    this.#size += set.chunks.size;
    // A map keeps insertion order, so the first key is the set written least recently.
    this.#sets.delete(key);
    this.#sets.set(key, set);
    for (const [oldest, { chunks }] of this.#sets) {
      if (this.#size <= MAX_CHUNKS) break;
      this.#sets.delete(oldest);
      this.#size -= chunks.size;
    }
  }

  /** Drops all chunks. Call this if rows are written before the end of a commit. */
  clear(): void {
    this.#sets.clear();
    this.#size = 0;
  }
}

function buildKey(organizationId: string, setId: number): string {
  return `${setId} ${organizationId}`;
}
