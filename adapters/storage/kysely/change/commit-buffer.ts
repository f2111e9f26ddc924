import { type Step, succeedStep } from "../../../../src/base/concurrency/step.js";
import type { Chunk } from "../../../../src/storage/bitmap.js";
import { type SetChange, WrittenSets } from "../segments/segment-cache.js";
import type { SegmentChunks, StoredChunk } from "../segments/segment-chunks.js";
import { noSets, type SetVersions } from "../segments/set-versions.js";
import type { Session } from "../session/session.js";
import { tables } from "../sql/tables.js";
import type { BufferedCounters, CachedState, ChunkCache } from "./commit-cache.js";
import { encodeDeferredCounters, isDeferrable } from "./deferred-counters.js";
import type { Counters, Organizations } from "./organizations.js";

/** The chunks of a set that a commit has read, and the chunks that it writes. */
class BufferedSet {
  /** The set's version before it is written, or `null` if it has no row. */
  version: number | null = null;
  readonly seen = new Map<number, StoredChunk>();
  readonly changed = new Map<number, Chunk>();
}

/**
 * Buffers the organization counters and tag sets that the transactions in one commit change. Each row is read once, and written
 * once, right before the commit. If a transaction needs to query these tables earlier, the changes so far are written first.
 */
export class CommitBuffer {
  readonly #sets = new Map<string, Map<number, BufferedSet>>();
  /** The counters that the commit has read, keyed by organization ID. */
  readonly counters: Map<string, BufferedCounters>;
  /** Chunks that earlier commits cached. They are valid until this commit writes. */
  readonly #known: ChunkCache;
  /**
   * Number of transactions that have used this buffer. If it is lower than the number of transactions in the commit, the buffer's
   * state is incomplete and isn't cached.
   */
  transactions = 0;
  #written = new WrittenSets();

  constructor(
    private readonly organizations: Organizations,
    private readonly chunks: SegmentChunks,
    /** State cached from the previous commit. */
    known: CachedState,
  ) {
    this.counters = known.counters;
    this.#known = known.sets;
  }

  /** Checks that no other release has migrated the tables. See {@link Organizations.checkFence}. */
  checkFence(session: Session): Step<void> {
    return this.organizations.checkFence(session);
  }

  /**
   * Returns an organization's counters, reading them on first use. On databases that run transactions in parallel, the read also
   * locks the organization.
   */
  getCounters(session: Session, organizationId: string): Step<BufferedCounters> {
    const known = this.counters.get(organizationId);
    return known === undefined ? this.#readCounters(session, organizationId) : succeedStep(known);
  }

  *#readCounters(session: Session, organizationId: string): Step<BufferedCounters> {
    const { counters, row, isNew, sets } = yield* this.organizations.counters(session, organizationId);
    const kept = { values: counters, row, told: row && counters, sets, isChanged: false, isUnused: isNew };
    this.counters.set(organizationId, kept);
    return kept;
  }

  /**
   * Returns one chunk of a tag set. Callers must not modify the chunk. To change the set, pass a modified copy to {@link put}.
   * @returns the chunk, or `null` if the set belongs to no tag.
   */
  *readChunk(session: Session, organizationId: string, setId: number, at: number): Step<Chunk | null> {
    const set = this.#getOrCreateSet(organizationId, setId);
    const known = set.changed.get(at) ?? set.seen.get(at)?.bits;
    if (known !== undefined) return known;
    const left = this.#known.find(organizationId, setId);
    const bits = left?.chunks.get(at);
    if (left !== undefined && bits !== undefined) {
      set.version = left.version;
      set.seen.set(at, { bits, flips: null });
      return bits;
    }
    const read = yield* this.chunks.read(session, organizationId, setId, at);
    if (read === null) return null;
    const { version, ...seen } = read;
    if (set.seen.size === 0) {
      const { sets } = yield* this.getCounters(session, organizationId);
      set.version = version === null ? null : Math.max(version, sets.get(setId) ?? 0);
    }
    set.seen.set(at, seen);
    return seen.bits;
  }

  /** Queues an organization's changed counters to be written to its row. */
  putCounters(organizationId: string, values: Readonly<Counters>): void {
    const { row = null, told = null, sets = noSets } = this.counters.get(organizationId) ?? {};
    this.counters.set(organizationId, { values, row, told, sets, isChanged: true, isUnused: false });
  }

  /**
   * Encodes the counters for storage in the newest event. The rows of the organization and its sets then don't need to be written.
   * @param changing the tag sets that the transaction changes. Their chunks must have been read from this buffer.
   * @returns the result of `encodeDeferredCounters` in `deferred-counters.ts`, or `undefined` if the rows must be written anyway.
   */
  encodeDeferredCounters(
    organizationId: string,
    values: Readonly<Counters>,
    changing: Iterable<number>,
  ): string | null | undefined {
    const { row = null, told = null } = this.counters.get(organizationId) ?? {};
    if (!this.organizations.eventsTell || row === null || told === null) return undefined;
    if (!saidByRowAlone.every((name) => values[name] === told[name])) return undefined;
    return encodeDeferredCounters(row, values, this.#behind(organizationId, changing));
  }

  /** Records that the result of {@link encodeDeferredCounters} was stored with the newest event. */
  onEventsAppended(organizationId: string, values: Readonly<Counters>, changing: Iterable<number>): void {
    const kept = this.counters.get(organizationId);
    if (kept === undefined) return;
    const sets = this.#behind(organizationId, changing);
    this.counters.set(organizationId, { ...kept, told: values, sets });
  }

  /** Returns the versions of the tag sets whose rows are outdated, or will be after this commit writes the sets' chunks. */
  #behind(organizationId: string, changing: Iterable<number>): SetVersions {
    const { sets = noSets } = this.counters.get(organizationId) ?? {};
    const kept = this.#sets.get(organizationId);
    if (kept === undefined) return sets;
    const behind = new Map(sets);
    const changed = [...kept].filter(([, { changed }]) => changed.size > 0).map(([setId]) => setId);
    for (const setId of new Set([...changed, ...changing])) {
      const version = kept.get(setId)?.version ?? null;
      // A set without a row isn't outdated, because the commit inserts its row.
      if (version !== null) behind.set(setId, version + 1);
    }
    return behind;
  }

  /**
   * Records that the newest event might have been removed. From then on, only the counters in the organization's row count as
   * stored.
   */
  onEventsRemoved(organizationId: string): void {
    const kept = this.counters.get(organizationId);
    if (kept !== undefined) this.counters.set(organizationId, { ...kept, told: kept.row });
  }

  /** Queues a changed chunk to be written to its row. Callers must not modify the chunk afterward. */
  put(organizationId: string, setId: number, at: number, bits: Chunk): void {
    this.#getOrCreateSet(organizationId, setId).changed.set(at, bits);
  }

  /** Deletes a tag set and its chunks. Set IDs are never reused, so a cache can't confuse a later set with the deleted one. */
  *dropSet(session: Session, organizationId: string, setId: number): Step<void> {
    yield* this.write(session);
    yield* this.chunks.drop(session, organizationId, setId);
    const kept = this.counters.get(organizationId);
    if (kept === undefined) return;
    const sets = new Map(kept.sets);
    sets.delete(setId);
    this.counters.set(organizationId, { ...kept, sets });
  }

  /** Writes the queued rows before the end of the commit, because a transaction needs to query their tables. */
  *write(session: Session): Step<void> {
    yield* this.#writeRows(session);
    this.#known.clear();
  }

  /**
   * Writes the queued rows as the last step of the commit.
   * @returns the state to cache for the next commit.
   */
  *writeLast(session: Session): Step<CachedState> {
    yield* this.#writeRows(session);
    return { counters: this.counters, sets: this.#known };
  }

  *#writeRows(session: Session): Step<void> {
    for (const [organizationId, kept] of this.counters) {
      const { values, row, told, sets, isChanged } = kept;
      if (!isChanged) continue;
      if (this.organizations.eventsTell && told !== null && areSame(values, told)) {
        this.counters.set(organizationId, { ...kept, isChanged: false });
        continue;
      }
      yield* this.organizations.putCounters(session, organizationId, values, row);
      yield* this.chunks.raise(session, organizationId, sets);
      this.counters.set(organizationId, {
        ...kept,
        row: values,
        told: values,
        sets: noSets,
        isChanged: false,
      });
    }
    for (const [organizationId, sets] of this.#sets) {
      for (const [setId, { version: known, seen, changed }] of sets) {
        if (changed.size === 0) continue;
        const told = this.counters.get(organizationId)?.sets.get(setId) ?? null;
        const version = yield* this.chunks.put(session, organizationId, setId, changed, {
          known,
          told,
          seen,
        });
        this.#written.add(organizationId, setId, version, changed);
        this.#known.note(organizationId, setId, version, changed);
      }
    }
    this.#sets.clear();
  }

  /** Deletes the rows of new organizations if nothing else has been stored for them. */
  *deleteUnused(session: Session): Step<void> {
    for (const [organizationId, { isUnused }] of this.counters) {
      if (isUnused) yield* this.organizations.deleteUnused(session, organizationId);
    }
  }

  /** Returns the sets that were written since the last call, and clears the list. Call this after the commit. */
  drainWrittenSets(): Iterable<SetChange> {
    const written = this.#written;
    this.#written = new WrittenSets();
    return written;
  }

  #getOrCreateSet(organizationId: string, setId: number): BufferedSet {
    const sets = this.#sets.get(organizationId) ?? new Map<number, BufferedSet>();
    this.#sets.set(organizationId, sets);
    const set = sets.get(setId) ?? new BufferedSet();
    sets.set(setId, set);
    return set;
  }
}

function areSame(counters: Readonly<Counters>, others: Readonly<Counters>): boolean {
  return counterNames.every((name) => counters[name] === others[name]);
}

const counterNames = Object.keys(tables.organizations.record.columns) as readonly (keyof Counters)[];

const saidByRowAlone = counterNames.filter((name) => !isDeferrable(name));
