import { done, type Step } from "../../../src/concurrency/step.js";
import type { Chunk } from "../../../src/storage/bitmap.js";
import { type SetChange, WrittenSets } from "../segments/segment-cache.js";
import type { SegmentChunks } from "../segments/segment-chunks.js";
import type { Session } from "../session/session.js";
import { tables } from "../sql/tables.js";
import { dayBeyond } from "./newest-event.js";
import type { Counters, Organizations } from "./organizations.js";
import { ToldOfCommit } from "./told-changes.js";
import type { ToldRows } from "./told-rows.js";

/** The counters of an organization as a commit will leave them. */
export interface KeptCounters {
  readonly values: Readonly<Counters>;
  /** The counters in the organization's row; `null` without a row. */
  readonly row: Readonly<Counters> | null;
  /** What the row says together with the newest event. */
  readonly told: Readonly<Counters> | null;
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
  countersOf(session: Session, organizationId: string): Step<KeptCounters> {
    const known = this.#counters.get(organizationId);
    return known === undefined ? this.#readCounters(session, organizationId) : done(known);
  }

  *#readCounters(session: Session, organizationId: string): Step<KeptCounters> {
    const { counters, row, isNew } = yield* this.organizations.counters(session, organizationId);
    const kept = { values: counters, row, told: row && counters, isChanged: false, isUnused: isNew };
    this.#counters.set(organizationId, kept);
    return kept;
  }

  /**
   * One chunk of a set, not to be changed: a changed one is to be {@link put}.
   * @returns `null` when there is no tag of this set.
   */
  *chunkOf(session: Session, organizationId: string, setId: number, at: number): Step<Chunk | null> {
    const set = this.#setOf(organizationId, setId);
    const known = set.changed.get(at) ?? set.seen.get(at);
    if (known !== undefined) return known;
    const read = yield* this.chunks.read(session, organizationId, setId, at);
    if (read === null) return null;
    const { version, bits } = read;
    set.version = version;
    set.seen.set(at, bits);
    return bits;
  }

  /** Counters to be written. */
  count(organizationId: string, values: Readonly<Counters>): void {
    const { row = null, told = null } = this.#counters.get(organizationId) ?? {};
    this.#counters.set(organizationId, { values, row, told, isChanged: true, isUnused: false });
  }

  /**
   * What the newest event has to say of the open day, so that the row of its organization need not be written.
   * @returns as {@link dayBeyond}; `undefined` where the row is to be written anyway.
   */
  beyondRow(organizationId: string, values: Readonly<Counters>): string | null | undefined {
    const { row = null, told = null } = this.#counters.get(organizationId) ?? {};
    if (!this.organizations.eventsTell || row === null || told === null) return undefined;
    const { newestEventPosition, openDay } = told;
    if (!areSame({ ...values, newestEventPosition, openDay }, told)) return undefined;
    return dayBeyond(row.openDay, values.openDay);
  }

  /** Notes that the newest event of these counters is in its table, and says of the open day what {@link beyondRow} gave. */
  appended(organizationId: string, values: Readonly<Counters>): void {
    const kept = this.#counters.get(organizationId);
    if (kept !== undefined) this.#counters.set(organizationId, { ...kept, told: values });
  }

  /** Notes that no event says anything any more. */
  removed(organizationId: string): void {
    const kept = this.#counters.get(organizationId);
    if (kept !== undefined) this.#counters.set(organizationId, { ...kept, told: kept.row });
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
      const { values, row, told, isChanged } = kept;
      if (!isChanged) continue;
      if (this.organizations.eventsTell && told !== null && areSame(values, told)) {
        this.#counters.set(organizationId, { ...kept, isChanged: false });
        continue;
      }
      yield* this.organizations.putCounters(session, organizationId, values, row);
      this.#counters.set(organizationId, { ...kept, row: values, told: values, isChanged: false });
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

function areSame(counters: Readonly<Counters>, others: Readonly<Counters>): boolean {
  return counterNames.every((name) => counters[name] === others[name]);
}

const counterNames = Object.keys(tables.organizations.record.columns) as readonly (keyof Counters)[];
