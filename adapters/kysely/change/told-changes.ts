import { done, type Step } from "../../../src/concurrency/step.js";
import type { Session } from "../session/session.js";
import type { KeptSlice } from "./kept-slice.js";
import { hasMember, sliceOf } from "./member-slices.js";
import { MovesOfDays } from "./moves-of-days.js";
import type { ToldRows } from "./told-rows.js";

/** So many slices of a commit, and so many users whom a transaction moves, are held until they are written. */
const MOST_HELD = 1_000;

/** So many slices are remembered for the next commit: those of ten segments of a million users. */
const MOST_KNOWN = 10_000;

/** Something of each segment, by organization and segment. */
type BySegment<T> = Map<string, Map<string, T>>;

/** A segment as commits have read it, and as it is to be written. */
class KeptSegment {
  readonly slices = new Map<number, KeptSlice>();
  readonly changed = new Set<number>();
  /** Those who moved on days that slices count no more. */
  days = new MovesOfDays();
  /** True once the segment is known to exist. */
  isThere = false;

  constructor(
    readonly organizationId: string,
    readonly segmentId: string,
  ) {}
}

/** What a commit leaves to the next one, and the number of slices that it has. */
export interface KnownTold {
  readonly segments: BySegment<KeptSegment>;
  readonly slices: number;
}

/**
 * Who was told to be a member of segments, and the numbers of their days, as the transactions of one commit leave them: read once,
 * and written once.
 */
export class ToldOfCommit {
  readonly #segments: BySegment<KeptSegment>;
  readonly #changed = new Set<KeptSegment>();
  #known: number;
  #size = 0;

  /** @param known as the commit before has left it, unless another one may have come in between. */
  constructor(
    private readonly rows: ToldRows,
    known: KnownTold | null,
  ) {
    this.#segments = known?.segments ?? new Map();
    this.#known = known?.slices ?? 0;
  }

  /** The number of slices that it has read. */
  get size(): number {
    return this.#size;
  }

  /** A slice of the members, which is not to be changed. */
  slice(session: Session, organizationId: string, segmentId: string, at: number): Step<KeptSlice> {
    const segment = this.#segment(organizationId, segmentId);
    const known = segment.slices.get(at);
    return known === undefined ? this.#read(session, organizationId, segmentId, at) : done(known);
  }

  /** @throws an error when there is no such segment. */
  assertSegment(session: Session, organizationId: string, segmentId: string): Step<void> {
    const { isThere } = this.#segment(organizationId, segmentId);
    return isThere ? done(undefined) : this.#find(session, organizationId, segmentId);
  }

  /** Changes a slice that was read: takes out who is no member any more, puts in who has become one, and counts who moved. */
  change(organizationId: string, segmentId: string, at: number, { flipped, days }: ChangedSlice): void {
    const segment = this.#segment(organizationId, segmentId);
    const slice = segment.slices.get(at);
    if (slice === undefined) throw new Error("a slice is to be read before it is changed");
    slice.flip(flipped);
    for (const moves of days.all()) {
      const before = slice.count(moves);
      if (before !== null) segment.days.add(before);
    }
    segment.changed.add(at);
    this.#changed.add(segment);
  }

  /** Writes all. What was read stays known. */
  *write(session: Session): Step<void> {
    for (const segment of this.#changed) {
      const { organizationId, segmentId, slices, changed, days } = segment;
      for (const at of changed) {
        const slice = slices.get(at);
        if (slice !== undefined) yield* this.rows.putSlice(session, organizationId, segmentId, at, slice);
      }
      for (const moves of days.all()) yield* this.rows.addToDay(session, organizationId, segmentId, moves);
      changed.clear();
      if (days.size > 0) segment.days = new MovesOfDays();
    }
    this.#changed.clear();
  }

  /** Forgets all that was read, which has been written: other statements are about to change the rows, or there is too much of it. */
  forget(): void {
    if (this.#changed.size > 0) throw new Error("what is changed is to be written before it is forgotten");
    this.#segments.clear();
    this.#known = 0;
    this.#size = 0;
  }

  /** Writes all, as the last thing that its commit does. @returns what the next commit need not read. */
  *writeLast(session: Session): Step<KnownTold | null> {
    yield* this.write(session);
    const slices = this.#known + this.#size;
    return slices > MOST_KNOWN ? null : { segments: this.#segments, slices };
  }

  *#read(session: Session, organizationId: string, segmentId: string, at: number): Step<KeptSlice> {
    const slice = yield* this.rows.slice(session, organizationId, segmentId, at);
    const segment = this.#segment(organizationId, segmentId);
    // Only a segment has members and days.
    if (!slice.saysNothing) segment.isThere = true;
    segment.slices.set(at, slice);
    this.#size += 1;
    return slice;
  }

  *#find(session: Session, organizationId: string, segmentId: string): Step<void> {
    yield* this.rows.assertSegment(session, organizationId, segmentId);
    this.#segment(organizationId, segmentId).isThere = true;
  }

  #segment(organizationId: string, segmentId: string): KeptSegment {
    return of(this.#segments, organizationId, segmentId, () => new KeptSegment(organizationId, segmentId));
  }
}

/** What a transaction changes of one slice. */
class ChangedSlice {
  /** The users who are members now and were none, or the other way round. */
  readonly flipped = new Set<number>();
  readonly days = new MovesOfDays();
}

/** What one transaction changes of that: its commit gets it when the transaction has ended. */
export class ToldOfTransaction {
  readonly #segments: BySegment<Map<number, ChangedSlice>> = new Map();
  #moves = 0;

  constructor(private readonly commit: ToldOfCommit) {}

  /** True when it is to be written and forgotten before there is more of it. */
  get isFull(): boolean {
    return this.#moves > MOST_HELD || this.commit.size > MOST_HELD;
  }

  /**
   * Makes users members of a segment, or takes them out of it.
   * @param day counts them, unless it is `null`.
   * @returns the ordinals of those whom it changed, ascending.
   * @throws an error when users are to be added and there is no such segment.
   */
  *change(
    session: Session,
    organizationId: string,
    segmentId: string,
    ordinals: readonly number[],
    isMember: boolean,
    day: number | null,
  ): Step<number[]> {
    const { commit } = this;
    const changed: number[] = [];
    for (const [at, some] of bySlice(ordinals)) {
      const { ordinals: members } = yield* commit.slice(session, organizationId, segmentId, at);
      if (isMember) yield* commit.assertSegment(session, organizationId, segmentId);
      const { flipped, days } = this.#slice(organizationId, segmentId, at);
      const before = changed.length;
      for (const ordinal of some) {
        const isFlipped = flipped.has(ordinal);
        if ((hasMember(members, ordinal) !== isFlipped) === isMember) continue;
        if (isFlipped) flipped.delete(ordinal);
        else flipped.add(ordinal);
        changed.push(ordinal);
      }
      const moved = changed.length - before;
      if (day !== null && moved > 0)
        days.add({ day, entered: isMember ? moved : 0, left: isMember ? 0 : moved });
    }
    this.#moves += changed.length;
    return changed.length > 1 ? changed.sort((a, b) => a - b) : changed;
  }

  /** Leaves all to the commit. */
  handOver(): void {
    for (const [organizationId, segments] of this.#segments) {
      for (const [segmentId, slices] of segments) {
        for (const [at, slice] of slices) {
          const isChanged = slice.flipped.size + slice.days.size > 0;
          if (isChanged) this.commit.change(organizationId, segmentId, at, slice);
        }
      }
    }
    this.#segments.clear();
    this.#moves = 0;
  }

  #slice(organizationId: string, segmentId: string, at: number): ChangedSlice {
    const slices = of(this.#segments, organizationId, segmentId, () => new Map<number, ChangedSlice>());
    let slice = slices.get(at);
    if (slice === undefined) {
      slice = new ChangedSlice();
      slices.set(at, slice);
    }
    return slice;
  }
}

/** The ordinals by the slice that they are in. */
function bySlice(ordinals: readonly number[]): Iterable<readonly [slice: number, some: readonly number[]]> {
  const [only] = ordinals;
  // Most changes move one user.
  if (ordinals.length === 1 && only !== undefined) return [[sliceOf(only), ordinals]];
  const slices = new Map<number, number[]>();
  for (const ordinal of ordinals) {
    const at = sliceOf(ordinal);
    const some = slices.get(at);
    if (some === undefined) slices.set(at, [ordinal]);
    else some.push(ordinal);
  }
  return slices;
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
