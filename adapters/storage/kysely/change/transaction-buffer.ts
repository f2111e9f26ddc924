import { mapStep, type Step, succeedStep } from "../../../../src/base/concurrency/step.js";
import { CHUNK_SIZE, type Chunk, chunkOf, clearBit, setBit, unite } from "../../../../src/storage/bitmap.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { ReadContext, Session } from "../session/session.js";
import { ChangesWithoutEvent } from "./changes-without-event.js";
import type { CommitBuffer } from "./commit-buffer.js";
import type { Counters } from "./organizations.js";

/** The context passed to every write function of the storage port. */
export interface WriteContext {
  readonly session: Session;
  readonly pending: TransactionBuffer;
}

/** One module of the storage port. Each of its functions takes the context as its first argument. */
export interface PortModule<Reads, Writes> {
  readonly reads: Functions<Reads, ReadContext>;
  readonly writes: Functions<Writes, WriteContext>;
}

/** The chunks that a transaction changes, in their final state, keyed by organization and set. */
type ChangedSets = Map<string, Map<number, Map<number, Chunk>>>;

/**
 * Buffers a transaction's changes to counters and tag sets. When the transaction ends, or when it needs to read counters or sets
 * from their tables, the changes move to the commit buffer. A transaction that fails earlier leaves no changes behind.
 */
export class TransactionBuffer {
  readonly #counters = new Map<string, Readonly<Counters>>();
  readonly #sets: ChangedSets = new Map();
  readonly #untold = new Map<string, ChangesWithoutEvent>();
  #isLetIn = false;

  constructor(
    private readonly session: Session,
    private readonly unwritten: CommitBuffer,
  ) {}

  /**
   * Checks that no other release has migrated the tables, unless the transaction has already checked it. Call this before any port
   * function that doesn't lock an organization.
   */
  *checkFence(): Step<void> {
    if (this.#isLetIn) return;
    yield* this.unwritten.checkFence(this.session);
    this.#isLetIn = true;
  }

  /** Locks the organization until this transaction ends, if the database runs transactions in parallel. */
  *lock(organizationId: string): Step<void> {
    yield* this.unwritten.getCounters(this.session, organizationId);
    this.#isLetIn = true;
  }

  getCounters(organizationId: string): Step<Readonly<Counters>> {
    const own = this.#counters.get(organizationId);
    if (own !== undefined) return succeedStep(own);
    return mapStep(this.unwritten.getCounters(this.session, organizationId), ({ values }) => values);
  }

  /** Changes an organization's counters. An empty change only records that something has been stored for the organization. */
  *updateCounters(organizationId: string, change: Partial<Counters>): Step<void> {
    const before = yield* this.getCounters(organizationId);
    this.#counters.set(organizationId, { ...before, ...change });
  }

  /** Encodes the counters for storage in the newest appended event. See {@link CommitBuffer.encodeDeferredCounters}. */
  *encodeDeferredCounters(organizationId: string): Step<string | null | undefined> {
    const counters = yield* this.getCounters(organizationId);
    return this.unwritten.encodeDeferredCounters(organizationId, counters, this.#changedSets(organizationId));
  }

  /** Records that the result of {@link encodeDeferredCounters} was stored with the newest of the appended events. */
  *onEventsAppended(organizationId: string): Step<void> {
    const counters = yield* this.getCounters(organizationId);
    this.unwritten.onEventsAppended(organizationId, counters, this.#changedSets(organizationId));
  }

  /** Records that events might be missing from the outbox, up to this position and time. */
  *eventsMissing(
    organizationId: string,
    { position, at }: { readonly position: number; readonly at: number },
  ): Step<void> {
    const { incompletePosition, incompleteUntil } = yield* this.getCounters(organizationId);
    yield* this.updateCounters(organizationId, {
      incompletePosition: Math.max(position, incompletePosition),
      incompleteUntil: Math.max(at, incompleteUntil ?? at),
    });
  }

  /** Records that the newest event might have been removed, which causes all counters to be written to the organization's row. */
  *onEventsRemoved(organizationId: string): Step<void> {
    yield* this.updateCounters(organizationId, {});
    this.unwritten.onEventsRemoved(organizationId);
  }

  /**
   * Checks that a tag set exists.
   * @param ordinal any user's ordinal. The check reads the chunk that contains it.
   * @throws if the set belongs to no tag.
   */
  *assertSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.unwritten.readChunk(this.session, organizationId, setId, chunkOf(ordinal));
    if (chunk === null) throw noTag(setId);
  }

  /**
   * Adds a user to a tag set.
   * @throws if the set belongs to no tag.
   */
  *addToSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.#chunkAround(organizationId, setId, ordinal);
    if (chunk === null) throw noTag(setId);
    setBit(chunk, ordinal);
  }

  /**
   * Adds all users in a chunk to a tag set.
   * @throws if the set belongs to no tag.
   */
  *unite(organizationId: string, setId: number, at: number, added: Chunk): Step<void> {
    const chunk = yield* this.#chunkAround(organizationId, setId, at * CHUNK_SIZE);
    if (chunk === null) throw noTag(setId);
    unite(chunk, chunk, added);
  }

  /** Removes a user from a tag set. Does nothing if the set belongs to no tag. */
  *removeFromSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.#chunkAround(organizationId, setId, ordinal);
    if (chunk !== null) clearBit(chunk, ordinal);
  }

  /** Returns the object that tracks customers who were changed but don't appear in any of the transaction's events. */
  getChangesWithoutEvent(organizationId: string): ChangesWithoutEvent {
    const known = this.#untold.get(organizationId);
    if (known !== undefined) return known;
    const untold = new ChangesWithoutEvent();
    this.#untold.set(organizationId, untold);
    return untold;
  }

  /** Deletes a tag set and its chunks. See {@link CommitBuffer.dropSet}. */
  *dropSet(organizationId: string, setId: number): Step<void> {
    this.#sets.get(organizationId)?.delete(setId);
    this.#handOver();
    yield* this.unwritten.dropSet(this.session, organizationId, setId);
  }

  *write(): Step<void> {
    this.#handOver();
    yield* this.unwritten.write(this.session);
  }

  /**
   * Passes the remaining changes on to the shared commit, or writes them if the transaction has its own commit. Call this last.
   */
  *finish(): Step<void> {
    // No part of a failed transaction may reach the commit that it shares.
    this.session.assertNotFailed();
    for (const [organizationId, untold] of this.#untold) {
      if (!untold.hasAny()) continue;
      const { changesWithoutEvent } = yield* this.getCounters(organizationId);
      yield* this.updateCounters(organizationId, { changesWithoutEvent: changesWithoutEvent + 1 });
    }
    this.#handOver();
    if (this.session.commit !== null) return;
    yield* this.unwritten.write(this.session);
    yield* this.unwritten.deleteUnused(this.session);
  }

  #handOver(): void {
    for (const [organizationId, values] of this.#counters) this.unwritten.putCounters(organizationId, values);
    for (const [organizationId, sets] of this.#sets) {
      for (const [setId, chunks] of sets) {
        for (const [at, bits] of chunks) this.unwritten.put(organizationId, setId, at, bits);
      }
    }
    this.#counters.clear();
    this.#sets.clear();
  }

  #changedSets(organizationId: string): readonly number[] {
    const sets = [...(this.#sets.get(organizationId) ?? [])];
    return sets.filter(([, chunks]) => chunks.size > 0).map(([setId]) => setId);
  }

  /** Returns a mutable copy of the set's chunk that contains a user's ordinal, or `null` if the set belongs to no tag. */
  *#chunkAround(organizationId: string, setId: number, ordinal: number): Step<Chunk | null> {
    const chunks = this.#getOrCreateChunks(organizationId, setId);
    const at = chunkOf(ordinal);
    const known = chunks.get(at);
    if (known !== undefined) return known;
    const shared = yield* this.unwritten.readChunk(this.session, organizationId, setId, at);
    if (shared === null) return null;
    const own = shared.slice();
    chunks.set(at, own);
    return own;
  }

  #getOrCreateChunks(organizationId: string, setId: number): Map<number, Chunk> {
    const sets = this.#sets.get(organizationId) ?? new Map<number, Map<number, Chunk>>();
    this.#sets.set(organizationId, sets);
    const chunks = sets.get(setId) ?? new Map<number, Chunk>();
    sets.set(setId, chunks);
    return chunks;
  }
}

function noTag(ordinal: number): Error {
  return new Error(`there is no tag ${ordinal}`);
}
