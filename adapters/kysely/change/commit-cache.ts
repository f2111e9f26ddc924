import type { Chunk } from "../../../src/storage/bitmap.js";
import type { SetVersions } from "../segments/set-versions.js";
import type { Counters } from "./organizations.js";

/** The counters of an organization as a commit will leave them. */
export interface BufferedCounters {
  readonly values: Readonly<Counters>;
  /** The counters in the organization's row; `null` without a row. */
  readonly row: Readonly<Counters> | null;
  /** The counters of the row together with those in the newest event. */
  readonly told: Readonly<Counters> | null;
  /** The versions that the newest event says of sets whose rows are behind. */
  readonly sets: SetVersions;
  readonly isChanged: boolean;
  /** True while the organization is new and has stored nothing. */
  readonly isUnused: boolean;
}

/** The cached part of a committed state: the counters of organizations, and chunks of sets. */
export interface CachedState {
  readonly counters: Map<string, BufferedCounters>;
  readonly sets: ChunkCache;
}

/** The number of organizations whose counters are remembered: a commit goes through all of them. */
const MOST = 100;

/**
 * State that the newest commit leaves for the next one, which then need not read it. It is dropped when a commit fails, or when
 * another commit may have come in between.
 */
export class CommitCache {
  #state: object | null = null;
  #known: CachedState = emptyState();

  /** Hands over the cached part of a committed state, which the caller may change, and drops it. */
  take(state: object | null): CachedState {
    const known = state !== null && state === this.#state ? this.#known : emptyState();
    this.#state = null;
    this.#known = emptyState();
    return known;
  }

  /** Remembers what the state will have that a commit is about to leave. */
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

/** Returns the cached state before the first commit. */
export function emptyState(): CachedState {
  return { counters: new Map(), sets: new ChunkCache() };
}

/** The most cached chunks, of 1,920 bytes each: as many as one tag with eight million users has. */
const MOST_CHUNKS = 512;

interface KnownSet {
  version: number;
  readonly chunks: Map<number, Chunk>;
}

/** Chunks of sets as the newest commits have left them, which the next one need not read. None of them is to be changed. */
export class ChunkCache {
  readonly #sets = new Map<string, KnownSet>();
  #size = 0;

  find(organizationId: string, setId: number): Readonly<KnownSet> | undefined {
    return this.#sets.get(keyOf(organizationId, setId));
  }

  /** Caches the chunks that a commit has written, beside the unchanged chunks of the same set. */
  note(organizationId: string, setId: number, version: number, written: ReadonlyMap<number, Chunk>): void {
    const key = keyOf(organizationId, setId);
    const set = this.#sets.get(key) ?? { version, chunks: new Map<number, Chunk>() };
    this.#size -= set.chunks.size;
    set.version = version;
    for (const [at, bits] of written) set.chunks.set(at, bits);
    this.#size += set.chunks.size;
    // A map keeps the order of insertion, so the first key is the set that was written least recently.
    this.#sets.delete(key);
    this.#sets.set(key, set);
    for (const [oldest, { chunks }] of this.#sets) {
      if (this.#size <= MOST_CHUNKS) break;
      this.#sets.delete(oldest);
      this.#size -= chunks.size;
    }
  }

  /** Forgets all: other statements are about to change the rows. */
  clear(): void {
    this.#sets.clear();
    this.#size = 0;
  }
}

function keyOf(organizationId: string, setId: number): string {
  return `${setId} ${organizationId}`;
}
