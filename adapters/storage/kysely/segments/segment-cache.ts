import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { type Bitmap, type Chunk, chunkToBytes, emptyChunk } from "../../../../src/storage/bitmap.js";
import {
  changeRow,
  findFirst,
  prepare,
  type ReadContext,
  type Session,
  type Slot,
} from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { countDeltas, decodeChunk, encodeDeltas } from "./chunk-encoding.js";

/** The ID of the set that contains all users. The ID of any other set is its tag's ordinal. */
export const ALL_USERS = 0;

const UNREAD_SET: PreviousSet = { version: null, readChunks: new Map() };

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
 * Caches committed tag sets up to a total size of `limit` bytes, keeping the most recently read ones. The cache doesn't track which
 * versions are current, so readers must check a cached set's version before using it.
 */
export class SegmentCache {
  readonly #sets = new Map<string, { readonly set: CachedSet; readonly bytes: number }>();
  #bytes = 0;

  constructor(private readonly limit: number) {}

  get(organizationId: string, setId: number): CachedSet | undefined {
    const key = buildKey(organizationId, setId);
    const entry = this.#sets.get(key);
    if (entry === undefined) return undefined;
    // A map keeps insertion order, so the first key is always the least recently read set.
    this.#sets.delete(key);
    this.#sets.set(key, entry);
    return entry.set;
  }

  /** Caches a tag set, unless the same version or a newer one is already cached. */
  put(organizationId: string, setId: number, set: CachedSet): void {
    const key = buildKey(organizationId, setId);
    const entry = this.#sets.get(key);
    if (entry !== undefined && entry.set.version >= set.version) return;
    this.#remove(key);
    const bytes = estimateBytes(key, set);
    if (bytes > this.limit) return;
    this.#sets.set(key, { set, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#sets.keys()) {
      if (this.#bytes <= this.limit) break;
      this.#remove(oldest);
    }
  }

  /**
   * Applies a committed change to a cached tag set. Has no effect if the change is based on a different version than the cached
   * one.
   */
  applyChange({ organizationId, setId, before, version, chunks }: SetChange): void {
    const cachedSet = this.#sets.get(buildKey(organizationId, setId))?.set;
    if (cachedSet?.version !== before) return;
    this.put(organizationId, setId, { version, bitmap: cachedSet.bitmap.with(chunks) });
  }

  #remove(key: string): void {
    this.#bytes -= this.#sets.get(key)?.bytes ?? 0;
    this.#sets.delete(key);
  }
}

function buildKey(organizationId: string, setId: number): string {
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
const MAX_CHUNKS = 1_000;

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
    if (this.#chunks > MAX_CHUNKS) {
      this.#changes.clear();
      return;
    }
    const key = `${setId} ${organizationId}`;
    const earlier = this.#changes.get(key);
    const previousVersion = version - 1;
    // Another writer may have changed the set in the meantime.
    const change =
      earlier?.version === previousVersion
        ? { before: earlier.before, chunks: new Map([...earlier.chunks, ...chunks]) }
        : { before: previousVersion, chunks };
    this.#changes.set(key, { organizationId, setId, version, ...change });
  }

  [Symbol.iterator](): Iterator<SetChange> {
    return this.#changes.values();
  }
}

export type SegmentChunks = ReturnType<typeof createSegmentChunks>;

interface ChunkKey {
  organizationId: string;
  setId: number;
  chunk: number;
}

/** A chunk decoded from its row, with the row's deltas applied. */
export interface StoredChunk {
  readonly bits: Chunk;
  /** Number of deltas in the row, or `null` if there is no row or the number of deltas wasn't read. */
  readonly deltaCount: number | null;
}

export interface VersionedChunk extends StoredChunk {
  /** The version in the set's row, or `null` if the set has no row. */
  readonly version: number | null;
}

/** The parts of a tag set that the commit has already read, as they were before a change. */
export interface PreviousSet {
  /** The set's version, or `null` if it hasn't been read or the set has no row. */
  readonly version: number | null;
  /** The chunks that have been read, keyed by index. */
  readonly readChunks: ReadonlyMap<number, StoredChunk>;
}

/**
 * Creates functions that read and write stored tag sets. They run in the transaction that changes the users or tag assignments.
 */
export function createSegmentChunks({ db, chunkDeltas }: SqlDialect) {
  const findVersion = prepare((slot: Slot<{ organizationId: string; setId: number }>) =>
    db
      .selectFrom("loyalty_segment_sets")
      .select("version")
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId")),
  );

  const findNewestChunk = prepare((slot: Slot<{ organizationId: string; setId: number }>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .select(({ fn }) => fn.max<number | null>("version").as("version"))
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId")),
  );

  /**
   * Returns a set's next version. Versions must never repeat, so that no cache mistakes a set for an older one. They continue even
   * if the set's row is outdated or lost.
   */
  function* takeNextVersion(session: Session, organizationId: string, setId: number): Step<number> {
    const setKey = { organizationId, setId };
    const [row, newest] = [
      yield* findFirst(session, findVersion(setKey)),
      yield* findFirst(session, findNewestChunk(setKey)),
    ];
    return Math.max(row?.version ?? 0, newest?.version ?? 0) + 1;
  }

  const raiseVersion = prepare((slot: Slot<{ organizationId: string; setId: number; version: number }>) =>
    db
      .updateTable("loyalty_segment_sets")
      .set({ version: slot("version") })
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId"))
      .where("version", "<", slot("version")),
  );

  // No `returning`, because SQLite would then keep a journal and write the pending changes of the search index.
  const putVersion = prepare((slot: Slot<{ organizationId: string; setId: number; version: number }>) =>
    db
      .insertInto("loyalty_segment_sets")
      .values({
        organization_id: slot("organizationId"),
        set_id: slot("setId"),
        version: slot("version"),
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "set_id"]).doUpdateSet({ version: slot("version") }),
      ),
  );

  const findVersionedChunk = prepare((slot: Slot<ChunkKey>) =>
    db
      .selectFrom("loyalty_segment_sets")
      .leftJoin("loyalty_segment_chunks", (join) =>
        join
          .onRef("loyalty_segment_chunks.organization_id", "=", "loyalty_segment_sets.organization_id")
          .onRef("loyalty_segment_chunks.set_id", "=", "loyalty_segment_sets.set_id")
          .on("loyalty_segment_chunks.chunk", "=", slot("chunk")),
      )
      .select(["loyalty_segment_sets.version", "loyalty_segment_chunks.bits"])
      .where("loyalty_segment_sets.organization_id", "=", slot("organizationId"))
      .where("loyalty_segment_sets.set_id", "=", slot("setId")),
  );

  const findTagChunk = prepare((slot: Slot<ChunkKey>) =>
    db
      .selectFrom("loyalty_user_tags")
      .leftJoin("loyalty_segment_sets", (join) =>
        join
          .onRef("loyalty_segment_sets.organization_id", "=", "loyalty_user_tags.organization_id")
          .onRef("loyalty_segment_sets.set_id", "=", "loyalty_user_tags.ordinal"),
      )
      .leftJoin("loyalty_segment_chunks", (join) =>
        join
          .onRef("loyalty_segment_chunks.organization_id", "=", "loyalty_user_tags.organization_id")
          .onRef("loyalty_segment_chunks.set_id", "=", "loyalty_user_tags.ordinal")
          .on("loyalty_segment_chunks.chunk", "=", slot("chunk")),
      )
      .select(["loyalty_segment_sets.version", "loyalty_segment_chunks.bits"])
      .where("loyalty_user_tags.organization_id", "=", slot("organizationId"))
      .where("loyalty_user_tags.ordinal", "=", slot("setId")),
  );

  const findRemoval = prepare((slot: Slot<{ organizationId: string; setId: number }>) =>
    db
      .selectFrom("loyalty_tag_removals")
      .select("ordinal")
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", "=", slot("setId")),
  );

  const findChunk = prepare((slot: Slot<ChunkKey>) =>
    db
      .selectFrom("loyalty_segment_chunks")
      .select("bits")
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId"))
      .where("chunk", "=", slot("chunk")),
  );

  const putChunk = prepare((slot: Slot<ChunkKey & { version: number; bits: Uint8Array }>) => {
    const content = { version: slot("version"), bits: slot("bits") };
    return db
      .insertInto("loyalty_segment_chunks")
      .values({
        organization_id: slot("organizationId"),
        set_id: slot("setId"),
        chunk: slot("chunk"),
        ...content,
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "set_id", "chunk"]).doUpdateSet(content),
      );
  });

  type DeltaWrite = ChunkKey & { version: number; deltas: Uint8Array };
  const addDeltas = prepare((slot: Slot<DeltaWrite>) =>
    db
      .updateTable("loyalty_segment_chunks")
      .set({ version: slot("version"), bits: sql`${slot("deltas")} || bits` })
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId"))
      .where("chunk", "=", slot("chunk")),
  );

  /**
   * Writes a chunk's changes as deltas in its row.
   * @returns false if there isn't enough room.
   */
  function* putDeltas(
    session: Session,
    chunkKey: ChunkKey & { version: number },
    bits: Chunk,
    previous: StoredChunk | undefined,
  ): Step<boolean> {
    const maxDeltas = chunkDeltas.maxDeltasFor(chunkKey.organizationId);
    if (maxDeltas === 0 || previous === undefined || previous.deltaCount === null) return false;
    const changes = encodeDeltas(previous.bits, bits, maxDeltas - previous.deltaCount);
    return changes !== null && (yield* changeRow(session, addDeltas({ deltas: changes, ...chunkKey })));
  }

  const remove = prepare((slot: Slot<{ organizationId: string; setId: number }>) =>
    db
      .deleteFrom("loyalty_segment_sets")
      .where("organization_id", "=", slot("organizationId"))
      .where("set_id", "=", slot("setId")),
  );

  return {
    /** Returns one chunk of a set and the set's version. Returns `null` if the set belongs to no tag. */
    *read(
      session: Session,
      organizationId: string,
      setId: number,
      chunk: number,
    ): Step<VersionedChunk | null> {
      const chunkKey = { organizationId, setId, chunk };
      const isAllUsers = setId === ALL_USERS;
      let versioned = yield* findFirst(session, (isAllUsers ? findVersionedChunk : findTagChunk)(chunkKey));
      if (versioned === null && !isAllUsers) {
        // A removed tag's set stays until the last user has lost the tag.
        if ((yield* findFirst(session, findRemoval({ organizationId, setId }))) === null) return null;
        versioned = yield* findFirst(session, findVersionedChunk(chunkKey));
      }
      const row = versioned ?? (yield* findFirst(session, findChunk(chunkKey)));
      const bits = row?.bits ?? null;
      const version = versioned?.version ?? null;
      return bits === null
        ? { version, bits: emptyChunk(), deltaCount: null }
        : { version, bits: decodeChunk(bits), deltaCount: countDeltas(bits) };
    },

    /**
     * Writes several chunks of a set as a single change. If the caller knows the set's version, it has to store the new one.
     * Otherwise, this writes the set's row.
     * @returns the set's new version.
     */
    *put(
      session: Session,
      organizationId: string,
      setId: number,
      chunks: Iterable<readonly [chunk: number, bits: Chunk]>,
      { version: currentVersion, readChunks }: PreviousSet = UNREAD_SET,
    ): Step<number> {
      const version =
        currentVersion === null ? yield* takeNextVersion(session, organizationId, setId) : currentVersion + 1;
      if (currentVersion === null) yield* session.change(putVersion({ organizationId, setId, version }));
      for (const [chunk, bits] of chunks) {
        const chunkKey = { organizationId, setId, chunk, version };
        if (yield* putDeltas(session, chunkKey, bits, readChunks.get(chunk))) continue;
        yield* session.change(putChunk({ bits: chunkToBytes(bits), ...chunkKey }));
      }
      return version;
    },

    /** Raises the versions in the rows of sets. */
    *raiseVersions(session: Session, organizationId: string, sets: ReadonlyMap<number, number>): Step<void> {
      for (const [setId, version] of sets) {
        yield* session.change(raiseVersion({ organizationId, setId, version }));
      }
    },

    /** Deletes a set and its chunks. */
    *deleteSet(session: Session, organizationId: string, setId: number): Step<void> {
      yield* session.change(remove({ organizationId, setId }));
    },
  };
}
