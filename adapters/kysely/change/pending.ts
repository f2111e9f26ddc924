import type { Step } from "../../../src/concurrency/step.js";
import { type Chunk, chunkOf, clearBit, setBit } from "../../../src/storage/bitmap.js";
import type { SegmentChunks } from "../segments/segment-chunks.js";
import { WrittenSets } from "../segments/written-sets.js";
import type { Session } from "../session/session.js";
import type { Counters, Organizations } from "./organizations.js";

/** What the writes of the port run on: a transaction, and what it is about to write. */
export interface Changing {
  readonly session: Session;
  readonly pending: Pending;
}

interface ChangedSet {
  /** That of the set as it was read; `null` where it has no row. */
  version: number | null;
  readonly chunks: Map<number, Chunk>;
}

interface Counted {
  readonly values: Counters;
  changed: boolean;
  /** True while an organization is new and has stored nothing. */
  isUnused: boolean;
}

/**
 * What a transaction has changed of the rows that many of its writes change again and again: the counters and the sets
 * of its organizations. They are read once and written once, at its end or when it reads sets.
 */
export class Pending {
  private readonly counters = new Map<string, Counted>();
  /** What is changed of each set, by organization. */
  private readonly sets = new Map<string, Map<number, ChangedSet>>();
  /** What has been written of sets. */
  readonly written = new WrittenSets();

  constructor(
    private readonly session: Session,
    private readonly organizations: Organizations,
    private readonly chunks: SegmentChunks,
  ) {}

  /** Keeps other transactions from the organization until this one ends, where they run side by side. */
  *lock(organizationId: string): Step<void> {
    yield* this.counted(organizationId);
  }

  *countersOf(organizationId: string): Step<Readonly<Counters>> {
    return (yield* this.counted(organizationId)).values;
  }

  /** Changes counters; none at all only notes that the organization stored something. */
  *count(organizationId: string, change: Partial<Counters>): Step<void> {
    const counted = yield* this.counted(organizationId);
    Object.assign(counted.values, change);
    counted.changed = true;
    counted.isUnused = false;
  }

  /** Adds a user to a set. */
  *include(organizationId: string, setId: number, ordinal: number): Step<void> {
    setBit(yield* this.chunkAround(organizationId, setId, ordinal), ordinal);
  }

  /** Takes a user from a set. */
  *exclude(organizationId: string, setId: number, ordinal: number): Step<void> {
    clearBit(yield* this.chunkAround(organizationId, setId, ordinal), ordinal);
  }

  /** Removes a set with its chunks. Its number is not given again, so no cache can take another set for it. */
  *dropSet(organizationId: string, setId: number): Step<void> {
    this.sets.get(organizationId)?.delete(setId);
    yield* this.chunks.drop(this.session, organizationId, setId);
  }

  *write(): Step<void> {
    for (const [organizationId, counted] of this.counters) {
      if (!counted.changed) continue;
      yield* this.organizations.putCounters(this.session, organizationId, counted.values);
      counted.changed = false;
    }
    for (const [organizationId, sets] of this.sets) {
      for (const [setId, { version: known, chunks }] of sets) {
        const version = yield* this.chunks.put(this.session, organizationId, setId, chunks, known);
        this.written.add(organizationId, setId, version, chunks);
      }
    }
    this.sets.clear();
  }

  /** Writes what is left to write. To be called last. */
  *end(): Step<void> {
    yield* this.write();
    for (const [organizationId, { isUnused }] of this.counters) {
      if (isUnused) yield* this.organizations.forget(this.session, organizationId);
    }
  }

  private *counted(organizationId: string): Step<Counted> {
    const known = this.counters.get(organizationId);
    if (known !== undefined) return known;
    const { counters, isNew } = yield* this.organizations.counters(this.session, organizationId);
    const counted = { values: counters, changed: false, isUnused: isNew };
    this.counters.set(organizationId, counted);
    return counted;
  }

  /** The chunk of a set that has the place of a user, to be changed. */
  private *chunkAround(organizationId: string, setId: number, ordinal: number): Step<Chunk> {
    const set = this.setOf(organizationId, setId);
    const at = chunkOf(ordinal);
    const known = set.chunks.get(at);
    if (known !== undefined) return known;
    const { version, bits } = yield* this.chunks.read(this.session, organizationId, setId, at);
    set.version = version;
    set.chunks.set(at, bits);
    return bits;
  }

  private setOf(organizationId: string, setId: number): ChangedSet {
    const sets = this.sets.get(organizationId) ?? new Map<number, ChangedSet>();
    this.sets.set(organizationId, sets);
    const set = sets.get(setId) ?? { version: null, chunks: new Map<number, Chunk>() };
    sets.set(setId, set);
    return set;
  }
}
