import { mapStep, type Step, succeedStep } from "../../../src/concurrency/step.js";
import { CHUNK_SIZE, type Chunk, chunkOf, clearBit, setBit, unite } from "../../../src/storage/bitmap.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { ReadContext, Session } from "../session/session.js";
import { ChangesWithoutEvent } from "./changes-without-event.js";
import type { CommitBuffer } from "./commit-buffer.js";
import type { Counters } from "./organizations.js";

/** Every write of the port receives these. */
export interface WriteContext {
  readonly session: Session;
  readonly pending: TransactionBuffer;
}

/** A part of the port, as functions of what they run on. */
export interface PortModule<Reads, Writes> {
  readonly reads: Functions<Reads, ReadContext>;
  readonly writes: Functions<Writes, WriteContext>;
}

/** The chunks of sets that a transaction changes, as it leaves them, by organization and set. */
type ChangedSets = Map<string, Map<number, Map<number, Chunk>>>;

/**
 * Holds the changes that one transaction leaves to its commit. They are handed over at the transaction's end, or when it
 * reads sets or counters in their tables, so that a transaction that fails leaves nothing of itself.
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

  /** Calls {@link CommitBuffer.checkFence} once, before the first call that locks no organization. */
  *checkFence(): Step<void> {
    if (this.#isLetIn) return;
    yield* this.unwritten.checkFence(this.session);
    this.#isLetIn = true;
  }

  /** Keeps other transactions from the organization until this one ends, where they run side by side. */
  *lock(organizationId: string): Step<void> {
    yield* this.unwritten.getCounters(this.session, organizationId);
    this.#isLetIn = true;
  }

  getCounters(organizationId: string): Step<Readonly<Counters>> {
    const own = this.#counters.get(organizationId);
    if (own !== undefined) return succeedStep(own);
    return mapStep(this.unwritten.getCounters(this.session, organizationId), ({ values }) => values);
  }

  /** Changes counters; none at all only notes that the organization stored something. */
  *updateCounters(organizationId: string, change: Partial<Counters>): Step<void> {
    const before = yield* this.getCounters(organizationId);
    this.#counters.set(organizationId, { ...before, ...change });
  }

  /** Returns the counters that the newest of the appended events carries: see {@link CommitBuffer.encodeDeferredCounters}. */
  *encodeDeferredCounters(organizationId: string): Step<string | null | undefined> {
    const counters = yield* this.getCounters(organizationId);
    return this.unwritten.encodeDeferredCounters(organizationId, counters, this.#changedSets(organizationId));
  }

  /** Call it after appending events. The newest one carries the result of {@link encodeDeferredCounters}. */
  *onEventsAppended(organizationId: string): Step<void> {
    const counters = yield* this.getCounters(organizationId);
    this.unwritten.onEventsAppended(organizationId, counters, this.#changedSets(organizationId));
  }

  /** Notes that the outbox lacks events, at most up to this position and this time. */
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

  /** Notes that the newest event may be gone, so that the row of its organization has to say all. */
  *onEventsRemoved(organizationId: string): Step<void> {
    yield* this.updateCounters(organizationId, {});
    this.unwritten.onEventsRemoved(organizationId);
  }

  /** @throws an error if there is no tag of this set. */
  *assertSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.unwritten.readChunk(this.session, organizationId, setId, chunkOf(ordinal));
    if (chunk === null) throw noTag(setId);
  }

  /** Adds a user to a set. @throws as {@link assertSet}. */
  *addToSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.#chunkAround(organizationId, setId, ordinal);
    if (chunk === null) throw noTag(setId);
    setBit(chunk, ordinal);
  }

  /** Adds all users of a chunk to a set. @throws as {@link assertSet}. */
  *unite(organizationId: string, setId: number, at: number, added: Chunk): Step<void> {
    const chunk = yield* this.#chunkAround(organizationId, setId, at * CHUNK_SIZE);
    if (chunk === null) throw noTag(setId);
    unite(chunk, chunk, added);
  }

  /** Takes a user from a set, if there is one. */
  *removeFromSet(organizationId: string, setId: number, ordinal: number): Step<void> {
    const chunk = yield* this.#chunkAround(organizationId, setId, ordinal);
    if (chunk !== null) clearBit(chunk, ordinal);
  }

  /** The customers that the transaction changes, without those that its events name. */
  getChangesWithoutEvent(organizationId: string): ChangesWithoutEvent {
    const known = this.#untold.get(organizationId);
    if (known !== undefined) return known;
    const untold = new ChangesWithoutEvent();
    this.#untold.set(organizationId, untold);
    return untold;
  }

  /** See {@link CommitBuffer.dropSet}. */
  *dropSet(organizationId: string, setId: number): Step<void> {
    this.#sets.get(organizationId)?.delete(setId);
    this.#handOver();
    yield* this.unwritten.dropSet(this.session, organizationId, setId);
  }

  *write(): Step<void> {
    this.#handOver();
    yield* this.unwritten.write(this.session);
  }

  /** Leaves the rest to the commit, or writes it where there is none but the transaction's own. Call it last. */
  *finish(): Step<void> {
    // Nothing of a transaction that fails may get into a commit that it shares.
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

  /** The chunk of a set that has the place of a user, to be changed; `null` if there is no tag of this set. */
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
