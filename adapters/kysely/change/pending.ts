import type { Step } from "../../../src/concurrency/step.js";
import { type Chunk, chunkOf, clearBit, setBit } from "../../../src/storage/bitmap.js";
import type { Functions } from "../../../src/storage/methods.js";
import { type SetChange, WrittenSets } from "../segments/segment-cache.js";
import type { SegmentChunks } from "../segments/segment-chunks.js";
import type { Reading, Session } from "../session/session.js";
import type { Counters, Organizations } from "./organizations.js";
import { ToldOfCommit, ToldOfTransaction } from "./told-changes.js";
import type { ToldRows } from "./told-rows.js";
import { Untold } from "./untold.js";

/** Every write of the port receives these. */
export interface Changing {
  readonly session: Session;
  readonly pending: Pending;
}

/** A part of the port, as functions of what they run on. */
export interface Part<Reads, Writes> {
  readonly reads: Functions<Reads, Reading>;
  readonly writes: Functions<Writes, Changing>;
}

/** The chunks of sets that a transaction changes, as it leaves them, by organization and set. */
type ChangedSets = Map<string, Map<number, Map<number, Chunk>>>;

/**
 * Holds the changes that one transaction leaves to its commit. They are handed over at the transaction's end, or when it
 * reads sets or counters in their tables, so that a transaction that fails leaves nothing of itself.
 */
export class Pending {
  readonly #counters = new Map<string, Readonly<Counters>>();
  readonly #sets: ChangedSets = new Map();
  readonly #untold = new Map<string, Untold>();
  /** Who enters and leaves saved segments. */
  readonly told: ToldOfTransaction;
  #isLetIn = false;

  constructor(
    private readonly session: Session,
    private readonly unwritten: Unwritten,
  ) {
    this.told = new ToldOfTransaction(unwritten.told);
  }

  /** Calls {@link Unwritten.letIn} once, before the first call that locks no organization. */
  *letIn(): Step<void> {
    if (this.#isLetIn) return;
    yield* this.unwritten.letIn(this.session);
    this.#isLetIn = true;
  }

  /** Keeps other transactions from the organization until this one ends, where they run side by side. */
  *lock(organizationId: string): Step<void> {
    yield* this.unwritten.countersOf(this.session, organizationId);
    this.#isLetIn = true;
  }

  *countersOf(organizationId: string): Step<Readonly<Counters>> {
    const own = this.#counters.get(organizationId);
    return own ?? (yield* this.unwritten.countersOf(this.session, organizationId)).values;
  }

  /** Changes counters; none at all only notes that the organization stored something. */
  *count(organizationId: string, change: Partial<Counters>): Step<void> {
    const before = yield* this.countersOf(organizationId);
    this.#counters.set(organizationId, { ...before, ...change });
  }

  /** Adds a user to a set. */
  *include(organizationId: string, setId: number, ordinal: number): Step<void> {
    setBit(yield* this.#chunkAround(organizationId, setId, ordinal), ordinal);
  }

  /** Takes a user from a set. */
  *exclude(organizationId: string, setId: number, ordinal: number): Step<void> {
    clearBit(yield* this.#chunkAround(organizationId, setId, ordinal), ordinal);
  }

  /** What the transaction changes of customers, and what its events tell of that. */
  untoldOf(organizationId: string): Untold {
    const known = this.#untold.get(organizationId);
    if (known !== undefined) return known;
    const untold = new Untold();
    this.#untold.set(organizationId, untold);
    return untold;
  }

  /** See {@link Unwritten.dropSet}. */
  *dropSet(organizationId: string, setId: number): Step<void> {
    this.#sets.get(organizationId)?.delete(setId);
    this.#handOver();
    yield* this.unwritten.dropSet(this.session, organizationId, setId);
  }

  *write(): Step<void> {
    this.#handOver();
    yield* this.unwritten.write(this.session);
  }

  /** Leaves the rest to the commit, or writes it where there is none but the transaction's own. To be called last. */
  *end(): Step<void> {
    // Nothing of a transaction that fails may get into a commit that it shares.
    this.session.assertSound();
    for (const [organizationId, untold] of this.#untold) {
      if (!untold.isAny()) continue;
      const { untoldChanges } = yield* this.countersOf(organizationId);
      yield* this.count(organizationId, { untoldChanges: untoldChanges + 1 });
    }
    this.#handOver();
    if (this.session.commit !== null) return;
    yield* this.unwritten.write(this.session);
    yield* this.unwritten.forgetUnused(this.session);
  }

  #handOver(): void {
    for (const [organizationId, values] of this.#counters) this.unwritten.count(organizationId, values);
    for (const [organizationId, sets] of this.#sets) {
      for (const [setId, chunks] of sets) {
        for (const [at, bits] of chunks) this.unwritten.put(organizationId, setId, at, bits);
      }
    }
    this.#counters.clear();
    this.#sets.clear();
    this.told.handOver();
  }

  /** The chunk of a set that has the place of a user, to be changed. */
  *#chunkAround(organizationId: string, setId: number, ordinal: number): Step<Chunk> {
    const chunks = this.#chunksOf(organizationId, setId);
    const at = chunkOf(ordinal);
    const known = chunks.get(at);
    if (known !== undefined) return known;
    const own = (yield* this.unwritten.chunkOf(this.session, organizationId, setId, at)).slice();
    chunks.set(at, own);
    return own;
  }

  #chunksOf(organizationId: string, setId: number): Map<number, Chunk> {
    const sets = this.#sets.get(organizationId) ?? new Map<number, Map<number, Chunk>>();
    this.#sets.set(organizationId, sets);
    const chunks = sets.get(setId) ?? new Map<number, Chunk>();
    sets.set(setId, chunks);
    return chunks;
  }
}

/** The counters of an organization as a commit will leave them. */
export interface KeptCounters {
  readonly values: Readonly<Counters>;
  /** The counters in the organization's row; `null` without a row. */
  readonly stored: Readonly<Counters> | null;
  readonly isChanged: boolean;
  /** True while the organization is new and has stored nothing. */
  readonly isUnused: boolean;
}

/** The chunks of a set that a commit has read, and those that it writes. */
class KeptSet {
  /** The version of the set when it was read; `null` without a row. */
  version: number | null = null;
  readonly seen = new Map<number, Chunk>();
  readonly changed = new Map<number, Chunk>();
}

/**
 * The rows that the transactions of one commit change again and again, the counters and the sets of their organizations, and the
 * members of segments: read once, and written once, before the commit or when one of the transactions reads such rows.
 */
export class Unwritten {
  readonly #counters = new Map<string, KeptCounters>();
  readonly #sets = new Map<string, Map<number, KeptSet>>();
  readonly told: ToldOfCommit;
  #written = new WrittenSets();

  constructor(
    private readonly organizations: Organizations,
    private readonly chunks: SegmentChunks,
    told: ToldRows,
  ) {
    this.told = new ToldOfCommit(told);
  }

  /** See {@link Organizations.letIn}. */
  letIn(session: Session): Step<void> {
    return this.organizations.letIn(session);
  }

  /** Reads an organization's counters. Where transactions run side by side, the organization stays locked from now on. */
  *countersOf(session: Session, organizationId: string): Step<KeptCounters> {
    const known = this.#counters.get(organizationId);
    if (known !== undefined) return known;
    const { counters, hasRow, isNew } = yield* this.organizations.counters(session, organizationId);
    const kept = { values: counters, stored: hasRow ? counters : null, isChanged: false, isUnused: isNew };
    this.#counters.set(organizationId, kept);
    return kept;
  }

  /** One chunk of a set, not to be changed: a changed one is to be {@link put}. */
  *chunkOf(session: Session, organizationId: string, setId: number, at: number): Step<Chunk> {
    const set = this.#setOf(organizationId, setId);
    const known = set.changed.get(at) ?? set.seen.get(at);
    if (known !== undefined) return known;
    const { version, bits } = yield* this.chunks.read(session, organizationId, setId, at);
    set.version = version;
    set.seen.set(at, bits);
    return bits;
  }

  /** Counters to be written. */
  count(organizationId: string, values: Readonly<Counters>): void {
    const stored = this.#counters.get(organizationId)?.stored ?? null;
    this.#counters.set(organizationId, { values, stored, isChanged: true, isUnused: false });
  }

  /** A chunk to be written, which is not to be changed any more. */
  put(organizationId: string, setId: number, at: number, bits: Chunk): void {
    this.#setOf(organizationId, setId).changed.set(at, bits);
  }

  /** Removes a set with its chunks. Its number is not given again, so no cache can take another set for it. */
  *dropSet(session: Session, organizationId: string, setId: number): Step<void> {
    yield* this.write(session);
    yield* this.chunks.drop(session, organizationId, setId);
  }

  /** Writes what is to be written so far. */
  *write(session: Session): Step<void> {
    for (const [organizationId, kept] of this.#counters) {
      const { values, stored, isChanged } = kept;
      if (!isChanged) continue;
      yield* this.organizations.putCounters(session, organizationId, values, stored);
      this.#counters.set(organizationId, { ...kept, stored: values, isChanged: false });
    }
    for (const [organizationId, sets] of this.#sets) {
      for (const [setId, { version: known, changed }] of sets) {
        if (changed.size === 0) continue;
        const version = yield* this.chunks.put(session, organizationId, setId, changed, known);
        this.#written.add(organizationId, setId, version, changed);
      }
    }
    this.#sets.clear();
    yield* this.told.write(session);
  }

  /** Takes away the rows of organizations that are new and stored nothing. */
  *forgetUnused(session: Session): Step<void> {
    for (const [organizationId, { isUnused }] of this.#counters) {
      if (isUnused) yield* this.organizations.forget(session, organizationId);
    }
  }

  /** Returns the sets that were written, to the first caller after the commit only. */
  takeWritten(): Iterable<SetChange> {
    const written = this.#written;
    this.#written = new WrittenSets();
    return written;
  }

  #setOf(organizationId: string, setId: number): KeptSet {
    const sets = this.#sets.get(organizationId) ?? new Map<number, KeptSet>();
    this.#sets.set(organizationId, sets);
    const set = sets.get(setId) ?? new KeptSet();
    sets.set(setId, set);
    return set;
  }
}
