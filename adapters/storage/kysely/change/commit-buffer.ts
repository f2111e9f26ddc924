import { mapStep, type Step, succeedStep } from "../../../../src/base/concurrency/step.js";
import { isUserId, listNamedIds } from "../../../../src/base/values/ids-in-text.js";
import { type Chunk, chunkOf, clearBit, setBit, unite } from "../../../../src/storage/bitmap.js";
import type { NewEvent } from "../../../../src/storage/events.js";
import type { Functions } from "../../../../src/storage/methods.js";
import {
  type SegmentChunks,
  type SetChange,
  type StoredChunk,
  WrittenSets,
} from "../segments/segment-cache.js";

import type { LookUpContext, ReadContext, Session } from "../session/session.js";
import type { BufferedCounters, CommittedState } from "./commit-cache.js";
import type { Counters, Organizations } from "./organizations.js";

/** Ids that can be searched for in an event's JSON without escaping. */
const SEARCHABLE_ID = /^(?:usr|wp)_[^"\\]+$/;

/** Up to this many comparisons of IDs with events are faster than extracting the IDs that the events name. */
const MAX_DIRECT_COMPARISONS = 32;

/** The context passed to every write function of the storage port. */
export interface WriteContext extends ReadContext {
  readonly session: Session;
  readonly buffer: CommitBuffer;
}

/** One module of the storage port. Each function takes the context as its first argument. */
export interface PortModule<Reads, Writes> {
  readonly reads: Functions<Reads, ReadContext>;
  readonly writes: Functions<Writes, WriteContext>;
}

/** The reads of a module that also has look-ups across all organizations. */
export interface ReadModule<Reads, LookUps> {
  readonly reads: Functions<Reads, ReadContext>;
  readonly lookUps: Functions<LookUps, LookUpContext>;
}

/** One module of the storage port that also has look-ups across all organizations. */
export interface LookUpModule<Reads, Writes, LookUps>
  extends PortModule<Reads, Writes>,
    ReadModule<Reads, LookUps> {}

/** The chunks of a set that a commit has read, and the chunks that it writes. */
class BufferedSet {
  /** The set's version before it is written, or `null` if it has no row. */
  version: number | null = null;
  readonly readChunks = new Map<number, StoredChunk>();
  readonly changedChunks = new Map<number, Chunk>();
}

/** What the running transaction has changed. If the transaction fails, none of it reaches the commit. */
class Draft {
  isFenceChecked = false;
  readonly counters = new Map<string, Readonly<Counters>>();
  /** The changed chunks in their final state, keyed by organization and set. */
  readonly sets = new Map<string, Map<number, Map<number, Chunk>>>();
  readonly withoutEvent = new Map<string, ChangesWithoutEvent>();
}

/** Maximum number of sets whose versions stand in their organization's row, because each commit writes them again. */
const MAX_SET_VERSIONS = 16;

/**
 * Buffers the changes that a commit's transactions make to organizations' rows and to sets. Almost every change affects these rows,
 * so each row is read only once per commit and written only once, right before the commit.
 *
 * The transactions run one at a time. Each one starts with {@link begin} and keeps its changes in a draft. {@link finish} moves the
 * draft into the commit. If a transaction has to read these rows from their tables, call {@link write} to write them earlier.
 *
 * A changed set gets a new version. The commit records the version in the organization's row, which is written anyway. The versions
 * in the sets' own rows are raised only once many versions have been recorded. See `setVersions` in `tables.ts`.
 */
export class CommitBuffer {
  /** Number of transactions that have used this buffer. If the commit includes more than this, the buffer's state is incomplete. */
  transactions = 0;
  #draft = new Draft();
  readonly #sets = new Map<string, Map<number, BufferedSet>>();
  #writtenSets = new WrittenSets();

  /**
   * @param session the first transaction's session.
   * @param committed the state that earlier commits have left in memory. The buffer modifies it.
   */
  constructor(
    private readonly organizations: Organizations,
    private readonly chunks: SegmentChunks,
    private readonly committed: CommittedState,
    private session: Session,
  ) {}

  /** Begins a transaction, and discards any changes left over from a failed one. */
  begin(session: Session): void {
    this.session = session;
    this.transactions += 1;
    this.#draft = new Draft();
  }

  /**
   * Moves the transaction's changes into its shared commit. If the transaction has its own commit, writes the changes instead. Call
   * this last.
   */
  *finish(): Step<void> {
    // No part of a failed transaction may reach the commit that it shares.
    this.session.assertNotFailed();
    for (const [organizationId, changes] of this.#draft.withoutEvent) {
      if (!changes.hasUnnamedChanges()) continue;
      const { changesWithoutEvent } = yield* this.getCounters(organizationId);
      yield* this.updateCounters(organizationId, { changesWithoutEvent: changesWithoutEvent + 1 });
    }
    this.#mergeDraft();
    if (this.session.commit !== null) return;
    yield* this.#writeRows();
    for (const [organizationId, { isUnused }] of this.committed.counters) {
      if (isUnused) yield* this.organizations.deleteUnused(this.session, organizationId);
    }
  }

  /** Writes the buffered rows before the end of the commit, so that the transaction can read them from their tables. */
  *write(): Step<void> {
    this.#mergeDraft();
    yield* this.#writeRows();
    this.committed.chunks.clear();
  }

  /**
   * Writes the buffered rows as the last step of a shared commit.
   * @returns the state to cache for the next commit.
   */
  *writeLast(session: Session): Step<CommittedState> {
    this.session = session;
    // The last transaction may have failed.
    this.#draft = new Draft();
    yield* this.#writeRows();
    return this.committed;
  }

  /** Returns the sets that have been written since the last call, and clears the list. Call this after the commit. */
  drainWrittenSets(): Iterable<SetChange> {
    const writtenSets = this.#writtenSets;
    this.#writtenSets = new WrittenSets();
    return writtenSets;
  }

  /**
   * Checks that no other release has migrated the tables. Does nothing if the current transaction has already made this check. Call
   * this before any port function that doesn't lock an organization.
   */
  *checkFence(): Step<void> {
    if (this.#draft.isFenceChecked) return;
    yield* this.organizations.checkFence(this.session);
    this.#draft.isFenceChecked = true;
  }

  /** Locks the organization until this transaction ends, if the database runs transactions in parallel. */
  *lock(organizationId: string): Step<void> {
    yield* this.getCounters(organizationId);
    this.#draft.isFenceChecked = true;
  }

  /**
   * Returns an organization's counters, reading them on first use. On databases that run transactions in parallel, the read also
   * locks the organization.
   */
  getCounters(organizationId: string): Step<Readonly<Counters>> {
    const counters =
      this.#draft.counters.get(organizationId) ?? this.committed.counters.get(organizationId)?.values;
    return counters === undefined ? this.#readCounters(organizationId) : succeedStep(counters);
  }

  /** Changes an organization's counters. An empty change only records that something has been stored for the organization. */
  updateCounters(organizationId: string, change: Partial<Counters>): Step<void> {
    return mapStep(this.getCounters(organizationId), (previous) => {
      this.#draft.counters.set(organizationId, { ...previous, ...change });
    });
  }

  /** Records that events up to this position and time might be missing from the outbox. */
  *recordMissingEvents(
    organizationId: string,
    { position, at }: { readonly position: number; readonly at: number },
  ): Step<void> {
    const { incompletePosition, incompleteUntil } = yield* this.getCounters(organizationId);
    yield* this.updateCounters(organizationId, {
      incompletePosition: Math.max(position, incompletePosition),
      incompleteUntil: Math.max(at, incompleteUntil ?? at),
    });
  }

  /** Returns the transaction's record of customers who were changed without appearing in an event. */
  getChangesWithoutEvent(organizationId: string): ChangesWithoutEvent {
    const { withoutEvent } = this.#draft;
    const existing = withoutEvent.get(organizationId);
    if (existing !== undefined) return existing;
    const changes = new ChangesWithoutEvent();
    withoutEvent.set(organizationId, changes);
    return changes;
  }

  /**
   * Checks that a set exists.
   * @param ordinal any user's ordinal. The check reads the chunk that contains it.
   * @throws if no tag uses the set.
   */
  *assertSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    if ((yield* this.#readChunk(organizationId, setId, chunkOf(ordinal))) === null)
      throw createMissingTagError(setId);
  }

  /**
   * Adds a user to a set.
   * @throws if no tag uses the set.
   */
  *addToSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.#changeChunk(organizationId, setId, chunkOf(ordinal));
    if (chunk === null) throw createMissingTagError(setId);
    setBit(chunk, ordinal);
  }

  /**
   * Adds all users in a chunk to a set.
   * @throws if no tag uses the set.
   */
  *addChunkToSet(organizationId: string, setId: number, chunkIndex: number, bits: Chunk): Step<void> {
    const chunk = yield* this.#changeChunk(organizationId, setId, chunkIndex);
    if (chunk === null) throw createMissingTagError(setId);
    unite(chunk, chunk, bits);
  }

  /** Removes a user from a set. Does nothing if no tag uses the set. */
  *removeFromSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.#changeChunk(organizationId, setId, chunkOf(ordinal));
    if (chunk !== null) clearBit(chunk, ordinal);
  }

  /** Deletes a set and its chunks. Set numbers are never reused, so a cache can't mistake a later set for the deleted one. */
  *dropSet(organizationId: string, setId: number): Step<void> {
    this.#draft.sets.get(organizationId)?.delete(setId);
    yield* this.write();
    yield* this.chunks.deleteSet(this.session, organizationId, setId);
    const { setVersions } = yield* this.getCounters(organizationId);
    const otherVersions = [...setVersions].filter(([other]) => other !== setId);
    yield* this.updateCounters(organizationId, { setVersions: new Map(otherVersions) });
  }

  *#readCounters(organizationId: string): Step<Readonly<Counters>> {
    const { values, row, isNew } = yield* this.organizations.readCounters(this.session, organizationId);
    this.committed.counters.set(organizationId, { values, row, isChanged: false, isUnused: isNew });
    return values;
  }

  /**
   * Returns a chunk of a set, including the commit's changes so far. Callers must not modify it.
   * @returns `null` if no tag uses the set.
   */
  *#readChunk(organizationId: string, setId: number, chunkIndex: number): Step<Chunk | null> {
    const set = this.#getOrCreateSet(organizationId, setId);
    const buffered = set.changedChunks.get(chunkIndex) ?? set.readChunks.get(chunkIndex)?.bits;
    if (buffered !== undefined) return buffered;
    const cached = this.committed.chunks.find(organizationId, setId);
    const bits = cached?.chunks.get(chunkIndex);
    if (cached !== undefined && bits !== undefined) {
      set.version = cached.version;
      set.readChunks.set(chunkIndex, { bits, deltaCount: null });
      return bits;
    }
    const storedChunk = yield* this.chunks.read(this.session, organizationId, setId, chunkIndex);
    if (storedChunk === null) return null;
    const { version, ...storedContent } = storedChunk;
    if (set.readChunks.size === 0) {
      const { setVersions } = yield* this.getCounters(organizationId);
      set.version = version === null ? null : Math.max(version, setVersions.get(setId) ?? 0);
    }
    set.readChunks.set(chunkIndex, storedContent);
    return storedContent.bits;
  }

  /** Returns a copy of a set's chunk that the transaction can modify, or `null` if no tag uses the set. */
  *#changeChunk(organizationId: string, setId: number, chunkIndex: number): Step<Chunk | null> {
    const sets = getOrCreate(this.#draft.sets, organizationId, () => new Map<number, Map<number, Chunk>>());
    const chunks = getOrCreate(sets, setId, () => new Map<number, Chunk>());
    const bufferedBits = chunks.get(chunkIndex);
    if (bufferedBits !== undefined) return bufferedBits;
    const shared = yield* this.#readChunk(organizationId, setId, chunkIndex);
    if (shared === null) return null;
    const copy = shared.slice();
    chunks.set(chunkIndex, copy);
    return copy;
  }

  #mergeDraft(): void {
    const { counters, sets } = this.#draft;
    for (const [organizationId, values] of counters) this.#putCounters(organizationId, values);
    for (const [organizationId, setChanges] of sets) {
      for (const [setId, chunks] of setChanges) {
        const set = this.#getOrCreateSet(organizationId, setId);
        for (const [chunkIndex, bits] of chunks) set.changedChunks.set(chunkIndex, bits);
      }
    }
    counters.clear();
    sets.clear();
  }

  *#writeRows(): Step<void> {
    // Sets come first, because their versions go into the organizations' rows.
    for (const [organizationId, sets] of this.#sets) {
      for (const [setId, set] of sets) {
        if (set.changedChunks.size > 0) yield* this.#writeSet(organizationId, setId, set);
      }
    }
    this.#sets.clear();
    const { counters } = this.committed;
    for (const [organizationId, { values, row, isChanged, isUnused }] of counters) {
      if (!isChanged) continue;
      yield* this.organizations.putCounters(this.session, organizationId, values, row);
      counters.set(organizationId, { values, row: values, isChanged: false, isUnused });
    }
  }

  *#writeSet(organizationId: string, setId: number, set: BufferedSet): Step<void> {
    const { changedChunks } = set;
    const version = yield* this.chunks.put(this.session, organizationId, setId, changedChunks, set);
    this.#writtenSets.add(organizationId, setId, version, changedChunks);
    this.committed.chunks.store(organizationId, setId, version, changedChunks);
    // The set has just got its first row, which has this version.
    if (set.version === null) return;
    const counters = yield* this.getCounters(organizationId);
    const setVersions = new Map(counters.setVersions).set(setId, version);
    if (setVersions.size > MAX_SET_VERSIONS) {
      yield* this.chunks.raiseVersions(this.session, organizationId, setVersions);
      setVersions.clear();
    }
    this.#putCounters(organizationId, { ...counters, setVersions });
  }

  #putCounters(organizationId: string, values: Readonly<Counters>): void {
    const row = this.committed.counters.get(organizationId)?.row ?? null;
    const buffered: BufferedCounters = { values, row, isChanged: true, isUnused: false };
    this.committed.counters.set(organizationId, buffered);
  }

  #getOrCreateSet(organizationId: string, setId: number): BufferedSet {
    const sets = getOrCreate(this.#sets, organizationId, () => new Map<number, BufferedSet>());
    return getOrCreate(sets, setId, () => new BufferedSet());
  }
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const existing = map.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  map.set(key, created);
  return created;
}

function createMissingTagError(setId: number): Error {
  return new Error(`no such tag: ${setId}`);
}

/**
 * Tracks whether a transaction changes customers who don't appear in any of its events. Column caches are updated from events, so a
 * change without an event must invalidate the caches.
 */
export class ChangesWithoutEvent {
  /**
   * The changes, keyed by user or pass ID. The value is `true` for a removed pass. An event accounts for a removed pass only if the
   * event also contains a user's ID.
   */
  readonly #changes = new Map<string, boolean>();
  readonly #eventData: string[] = [];

  addChange(id: string): void {
    if (!this.#changes.has(id)) this.#changes.set(id, false);
  }

  addRemovedPass(passId: string): void {
    this.#changes.set(passId, true);
  }

  addEvents(events: readonly Pick<NewEvent, "data">[]): void {
    for (const { data } of events) this.#eventData.push(data);
  }

  /** Returns whether the transaction changed any customer who doesn't appear in its events. */
  hasUnnamedChanges(): boolean {
    const ids = [...this.#changes];
    if (ids.length * this.#eventData.length <= MAX_DIRECT_COMPARISONS)
      return !ids.every((id) => this.#isNamed(id));
    const namedIds = new Set<string>();
    const namedWithUser = new Set<string>();
    for (const data of this.#eventData) {
      const eventIds = listNamedIds(data);
      const hasUser = eventIds.some(isUserId);
      for (const id of eventIds) {
        namedIds.add(id);
        if (hasUser) namedWithUser.add(id);
      }
    }
    return !ids.every(([id, isRemovedPass]) => (isRemovedPass ? namedWithUser : namedIds).has(id));
  }

  #isNamed([id, isRemovedPass]: readonly [id: string, isGone: boolean]): boolean {
    return this.#eventData.some((data) => {
      if (!SEARCHABLE_ID.test(id) || !data.includes(`"${id}"`)) return false;
      return !isRemovedPass || listNamedIds(data).some(isUserId);
    });
  }
}
