import { done, type Step } from "../../../src/concurrency/step.js";
import type { StoredSegmentDay } from "../../../src/storage/saved-segments.js";
import type { Session } from "../session/session.js";
import { emptySlice, flipMember, hasMember, type Slice, sliceOf } from "./member-slices.js";
import type { ToldRows } from "./told-rows.js";

/** So many slices of a commit, and so many users whom a transaction moves, are held until they are written. */
const MOST_HELD = 1_000;

/** Something of each segment, by organization and segment. */
type BySegment<T> = Map<string, Map<string, T>>;

type Days = Map<number, StoredSegmentDay>;

/** A segment as the commit has read it, and as it is to be written. */
class KeptSegment {
  readonly slices = new Map<number, Slice>();
  readonly changed = new Set<number>();
  readonly days: Days = new Map();
  /** True once the segment is known to exist. */
  isThere = false;
}

/**
 * Who was told to be a member of segments, and the numbers of their days, as the transactions of one commit leave them: read once,
 * and written once.
 */
export class ToldOfCommit {
  readonly #segments: BySegment<KeptSegment> = new Map();
  #size = 0;

  constructor(private readonly rows: ToldRows) {}

  /** The number of slices that it holds. */
  get size(): number {
    return this.#size;
  }

  /** A slice of the members, which is not to be changed. */
  slice(session: Session, organizationId: string, segmentId: string, at: number): Step<Slice> {
    const segment = this.#segment(organizationId, segmentId);
    const known = segment.slices.get(at);
    return known === undefined ? this.#read(session, organizationId, segmentId, at) : done(known);
  }

  /** @throws an error when there is no such segment. */
  assertSegment(session: Session, organizationId: string, segmentId: string): Step<void> {
    const { isThere } = this.#segment(organizationId, segmentId);
    return isThere ? done(undefined) : this.#find(session, organizationId, segmentId);
  }

  /** Takes who is no member any more out of slices that were read, and puts in who has become one. */
  flip(organizationId: string, segmentId: string, ordinals: ReadonlySet<number>): void {
    const { slices, changed } = this.#segment(organizationId, segmentId);
    for (const ordinal of ordinals) {
      const at = sliceOf(ordinal);
      const slice = slices.get(at);
      if (slice === undefined) throw new Error("a slice is to be read before it is changed");
      flipMember(slice, ordinal);
      changed.add(at);
    }
  }

  addToDays(organizationId: string, segmentId: string, added: Days): void {
    const { days } = this.#segment(organizationId, segmentId);
    for (const day of added.values()) addTo(days, day);
  }

  /** Writes all, and holds nothing any more: other statements may change the rows. */
  *write(session: Session): Step<void> {
    for (const [organizationId, segments] of this.#segments) {
      for (const [segmentId, { slices, changed, days }] of segments) {
        for (const at of changed) {
          const slice = slices.get(at);
          if (slice !== undefined) yield* this.rows.putSlice(session, organizationId, segmentId, at, slice);
        }
        for (const day of days.values()) yield* this.rows.addToDay(session, organizationId, day);
      }
    }
    this.#segments.clear();
    this.#size = 0;
  }

  *#read(session: Session, organizationId: string, segmentId: string, at: number): Step<Slice> {
    const stored = yield* this.rows.slice(session, organizationId, segmentId, at);
    const slice = stored ?? emptySlice();
    const segment = this.#segment(organizationId, segmentId);
    if (stored !== null) segment.isThere = true;
    segment.slices.set(at, slice);
    this.#size += 1;
    return slice;
  }

  *#find(session: Session, organizationId: string, segmentId: string): Step<void> {
    yield* this.rows.assertSegment(session, organizationId, segmentId);
    this.#segment(organizationId, segmentId).isThere = true;
  }

  #segment(organizationId: string, segmentId: string): KeptSegment {
    return of(this.#segments, organizationId, segmentId, () => new KeptSegment());
  }
}

/** What a transaction changes of one segment. */
class ChangedSegment {
  /** The users who are members now and were none, or the other way round. */
  readonly flipped = new Set<number>();
  readonly days: Days = new Map();
}

/** What one transaction changes of that: its commit gets it when the transaction has ended. */
export class ToldOfTransaction {
  readonly #segments: BySegment<ChangedSegment> = new Map();
  #flips = 0;

  constructor(private readonly commit: ToldOfCommit) {}

  /** True when it is to be written before there is more of it. */
  get isFull(): boolean {
    return this.#flips > MOST_HELD || this.commit.size > MOST_HELD;
  }

  /**
   * Makes users members of a segment, or takes them out of it.
   * @returns the ordinals of those whom it changed, ascending.
   * @throws an error when users are to be added and there is no such segment.
   */
  *change(
    session: Session,
    organizationId: string,
    segmentId: string,
    ordinals: readonly number[],
    isMember: boolean,
  ): Step<number[]> {
    const { commit } = this;
    const [first] = ordinals;
    if (first === undefined) return [];
    let at = sliceOf(first);
    let slice = yield* commit.slice(session, organizationId, segmentId, at);
    if (isMember) yield* commit.assertSegment(session, organizationId, segmentId);
    const { flipped } = this.#segment(organizationId, segmentId);
    const changed: number[] = [];
    for (const ordinal of ordinals) {
      if (sliceOf(ordinal) !== at) {
        at = sliceOf(ordinal);
        slice = yield* commit.slice(session, organizationId, segmentId, at);
      }
      const isFlipped = flipped.has(ordinal);
      if ((hasMember(slice, ordinal) !== isFlipped) === isMember) continue;
      if (isFlipped) flipped.delete(ordinal);
      else flipped.add(ordinal);
      changed.push(ordinal);
    }
    this.#flips += changed.length;
    return changed.sort((a, b) => a - b);
  }

  /** Adds to the numbers of a day. @throws an error when there is no such segment. */
  *addToDay(session: Session, organizationId: string, day: StoredSegmentDay): Step<void> {
    yield* this.commit.assertSegment(session, organizationId, day.segmentId);
    addTo(this.#segment(organizationId, day.segmentId).days, day);
  }

  /** Leaves all to the commit. */
  handOver(): void {
    for (const [organizationId, segments] of this.#segments) {
      for (const [segmentId, { flipped, days }] of segments) {
        this.commit.flip(organizationId, segmentId, flipped);
        this.commit.addToDays(organizationId, segmentId, days);
      }
    }
    this.#segments.clear();
    this.#flips = 0;
  }

  #segment(organizationId: string, segmentId: string): ChangedSegment {
    return of(this.#segments, organizationId, segmentId, () => new ChangedSegment());
  }
}

function of<T>(all: BySegment<T>, organizationId: string, segmentId: string, make: () => T): T {
  let segments = all.get(organizationId);
  if (segments === undefined) {
    segments = new Map();
    all.set(organizationId, segments);
  }
  let known = segments.get(segmentId);
  if (known === undefined) {
    known = make();
    segments.set(segmentId, known);
  }
  return known;
}

const noNumbers = { members: null, entered: 0, left: 0 };

function addTo(days: Days, added: StoredSegmentDay): void {
  const { day } = added;
  const before = days.get(day) ?? noNumbers;
  days.set(day, {
    ...added,
    members: added.members ?? before.members,
    entered: before.entered + added.entered,
    left: before.left + added.left,
  });
}
