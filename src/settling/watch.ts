import type { Step } from "../concurrency/step.js";
import { knownActor } from "../resources/actor.js";
import { CustomerFacts } from "../segments/customer-facts.js";
import { customerFacts, type FactKind, factsAgain } from "../segments/facts.js";
import { midnightsBetween } from "../segments/judged-at.js";
import { allMatching } from "../segments/matching.js";
import type { StoredCard, StoredPass } from "../storage/passes.js";
import type { StoredSegmentMark } from "../storage/saved-segments.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { ChangeWatch, WatchedChange } from "../tenant/watching.js";
import { dayIn } from "../values/calendar-days.js";
import { CardChange } from "./card-flips.js";
import type { JudgedSegment, JudgedSegments, Judgement } from "./judged-segments.js";
import { MOST_MOVES, type Moves, move, type Tell } from "./moves.js";
import { type FactWatch, type KnownWrite, WatchedWrites, watchedTransaction } from "./watched-transaction.js";

/** The actor of what time alone does. */
export const time = knownActor({ kind: "worker", id: "segments" });

/** The segments of an organization, and the day that everything is judged on. */
export interface SegmentsNow {
  readonly state: JudgedSegments;
  readonly mark: StoredSegmentMark;
  readonly judgement: Judgement;
}

/** Finds the segments of an organization; `null` where none emits events. */
export type FindSegments = (tx: StorageTransaction, organizationId: string) => Step<SegmentsNow | null>;

/** Customers whom a write touches, and who of them were members before it. */
interface Touched {
  readonly kinds: ReadonlySet<FactKind>;
  readonly segments: readonly JudgedSegment[];
  readonly facts: readonly CustomerFacts[];
  /** By the id of the user, for each of the segments. */
  readonly before: ReadonlyMap<string, readonly boolean[]>;
}

/** Sees what one change does to the customers of an organization whose segments emit events. */
export class Watch implements ChangeWatch, FactWatch {
  readonly tx: StorageTransaction;
  /** `undefined` before the first write that it sees. */
  #segments: SegmentsNow | null | undefined;
  #touched: Touched[] = [];
  #added: StoredUser[] = [];
  /** The segments of which is kept whether a user was a member, for each who was touched, by ordinal. */
  readonly #kept = new Map<number, ReadonlySet<JudgedSegment>>();
  /** The kinds of facts that were touched. */
  readonly #kinds = new Set<FactKind>();
  readonly #gone = new Set<string>();
  #touches = 0;
  /** The pass as the only write of this change left it; `null` where there may have been others. */
  #onlyPass: StoredPass | null = null;
  /** Who is a member may have changed for everybody. */
  #isTemplateChanged = false;

  constructor(
    private readonly inner: StorageTransaction,
    private readonly change: WatchedChange,
    private readonly find: FindSegments,
  ) {
    this.tx = watchedTransaction(inner, new WatchedWrites(inner, this));
  }

  get organizationId(): string {
    return this.change.organizationId;
  }

  *readers(kind: FactKind): Step<readonly JudgedSegment[]> {
    const segments = yield* this.#now();
    return segments === null ? [] : readersOf(segments, kind);
  }

  *movedByCard({ templateId, card: before }: StoredPass, after: StoredCard): Step<readonly JudgedSegment[]> {
    const segments = yield* this.#now();
    if (segments === null) return [];
    const { judgement } = segments;
    if (before === null || !isSettled(segments)) return readersOf(segments, "passes");
    const change = new CardChange(templateId, before, after);
    const places = new Set<number>();
    for (const { test, places: asking } of judgement.cardTests)
      if (change.mayFlip(test)) for (const place of asking) places.add(place);
    return places.size === 0 ? [] : judgement.segments.filter(({ place }) => places.has(place));
  }

  *movedByTags(slugs: ReadonlySet<string>): Step<readonly JudgedSegment[]> {
    const segments = yield* this.#now();
    if (segments === null) return [];
    const readers = readersOf(segments, "tags");
    if (!isSettled(segments)) return readers;
    return readers.filter((judged) => [...slugs].some((slug) => judged.slugs.has(slug)));
  }

  /** Settles time for the users, and keeps which segments they are members of. */
  *touch(
    kind: FactKind,
    find: () => Step<readonly StoredUser[]>,
    write: KnownWrite | null = null,
  ): Step<void> {
    const segments = yield* this.#now();
    if (segments === null) return;
    const among = write?.among ?? readersOf(segments, kind);
    if (among.length === 0) return;
    // Of several writes the last one leaves what there is then.
    this.#onlyPass = this.#touches === 0 ? (write?.pass ?? null) : null;
    this.#touches += 1;
    this.#kinds.add(kind);
    const users = yield* find();
    for (let at = 0; at < users.length; at += MOST_MOVES)
      yield* this.#touchSome(segments, among, users.slice(at, at + MOST_MOVES));
  }

  /** Notes users who have been added: they were members of nothing. */
  *added(users: readonly StoredUser[]): Step<void> {
    const segments = yield* this.#now();
    if (segments === null) return;
    const all = new Set(segments.judgement.segments);
    this.#onlyPass = null;
    this.#touches += 1;
    for (const user of users) {
      this.#added.push(user);
      this.#kept.set(user.ordinal, all);
    }
    for (let at = 0; at < users.length; at += MOST_MOVES)
      yield* this.#markSettled(segments, users.slice(at, at + MOST_MOVES));
  }

  /** Settles time for a user who goes, of whom nothing else is told. */
  *removed(userId: string): Step<void> {
    this.#gone.add(userId);
    const segments = yield* this.#now();
    if (segments === null || isSettled(segments)) return;
    const user = yield* this.inner.findUser(this.organizationId, userId);
    if (user !== null && !this.#kept.has(user.ordinal)) yield* this.#settle(segments, [user]);
  }

  *aroundTemplate<T>(templateId: string, write: () => Step<T>): Step<T> {
    const segments = yield* this.#now();
    const result = yield* write();
    if (segments?.state.names(templateId)) this.#isTemplateChanged = true;
    return result;
  }

  *look(): Step<void> {
    const segments = this.#segments;
    if (segments === null || segments === undefined) return;
    if (this.#touches > 0) {
      const moves = yield* this.#moves(segments);
      this.#forget();
      yield* this.#moveByChange(segments, moves);
    }
    if (this.#isTemplateChanged) yield* this.#retellAll(segments);
  }

  /** Who enters and leaves by the writes since the last look, by the age of the segments. */
  *#moves(segments: SegmentsNow): Step<Moves[]> {
    const moves = new Map<JudgedSegment, { entered: StoredUser[]; left: StoredUser[] }>();
    for (const { segments: judged, before, facts } of yield* this.#known(segments)) {
      for (const each of facts) {
        const { user } = each;
        if (this.#gone.has(user.id)) continue;
        const was = before.get(user.id);
        for (const [nth, one] of judged.entries()) {
          const is = one.isMember(each);
          if (is === (was?.[nth] ?? false) && !one.segment.isSettling) continue;
          const known = moves.get(one) ?? { entered: [], left: [] };
          moves.set(one, known);
          known[is ? "entered" : "left"].push(user);
        }
      }
    }
    return [...moves]
      .sort(([one], [other]) => one.place - other.place)
      .map(([{ segment }, sides]) => ({ segment, ...sides }));
  }

  /** What is known of the customers now. */
  *#known({ judgement }: SegmentsNow): Step<Omit<Touched, "kinds">[]> {
    const { inner, organizationId } = this;
    const all: Omit<Touched, "kinds">[] = [];
    for (const { kinds, segments, facts, before } of this.#touched) {
      const changed = new Set([...kinds].filter((kind) => this.#kinds.has(kind)));
      const pass = this.#onlyPass;
      const now =
        pass === null
          ? yield* factsAgain(inner, organizationId, facts, changed)
          : facts.map((each) => withPass(each, pass));
      all.push({ segments, before, facts: now });
    }
    const { segments } = judgement;
    for (let at = 0; at < this.#added.length; at += MOST_MOVES) {
      const given = this.#added.slice(at, at + MOST_MOVES);
      const users = this.#kinds.has("user")
        ? yield* inner.usersById(
            organizationId,
            given.map(({ id }) => id),
          )
        : given;
      const facts = yield* customerFacts(inner, organizationId, users, kindsOf(segments));
      all.push({ segments, before: new Map(), facts });
    }
    return all;
  }

  *#touchSome(
    segments: SegmentsNow,
    among: readonly JudgedSegment[],
    users: readonly StoredUser[],
  ): Step<void> {
    yield* this.#settle(
      segments,
      users.filter(({ ordinal }) => !this.#kept.has(ordinal)),
    );
    const alike = new Map<ReadonlySet<JudgedSegment>, StoredUser[]>();
    for (const user of users) {
      const kept = this.#kept.get(user.ordinal) ?? noSegments;
      const others = alike.get(kept);
      if (others === undefined) alike.set(kept, [user]);
      else others.push(user);
    }
    for (const [kept, some] of alike) {
      // Who is a member of the others was kept before a write could move anybody there for the first time.
      const judged = among.filter((one) => !kept.has(one));
      if (judged.length === 0) continue;
      const now = kept.size === 0 ? new Set(judged) : new Set([...kept, ...judged]);
      for (const { ordinal } of some) this.#kept.set(ordinal, now);
      const kinds = kindsOf(judged);
      const facts = yield* customerFacts(this.inner, this.organizationId, some, kinds);
      const before = new Map(
        facts.map((each) => [each.user.id, judged.map(({ isMember }) => isMember(each))]),
      );
      this.#touched.push({ kinds, segments: judged, facts, before });
    }
  }

  /** Does to users what time has done, up to the midnight that everything is judged at. */
  *#settle(segments: SegmentsNow, users: readonly StoredUser[]): Step<void> {
    if (users.length === 0 || isSettled(segments)) return;
    const { mark, judgement } = segments;
    const isLate = mark.settledThrough < judgement.at;
    const ordinals = users.map(({ ordinal }) => ordinal);
    const rows = yield* this.inner.settledUsers(this.organizationId, ordinals);
    const through = new Map(rows.map((row) => [row.userOrdinal, row.through]));
    const behind = users.filter(({ ordinal }) => (through.get(ordinal) ?? 0) < judgement.at);
    if (behind.length === 0) return;
    if (isLate) yield* this.#tellTime(segments, behind, through);
    yield* this.#markSettled(segments, behind);
  }

  /** Notes that time is told of users up to now, where it is not of everybody. */
  *#markSettled(segments: SegmentsNow, users: readonly StoredUser[]): Step<void> {
    if (isSettled(segments)) return;
    const through = segments.judgement.at;
    const rows = users.map(({ ordinal: userOrdinal }) => ({ userOrdinal, through }));
    yield* this.inner.putSettledUsers(this.organizationId, rows);
  }

  *#tellTime(
    { state, mark, judgement }: SegmentsNow,
    users: readonly StoredUser[],
    through: ReadonlyMap<number, number>,
  ): Step<void> {
    const { inner, organizationId, change } = this;
    const { timeZone } = state;
    const kinds = kindsOf(judgement.segments);
    const facts = yield* customerFacts(inner, organizationId, users, kinds);
    const told = new Map<string, Set<number>>();
    for (const { segment } of judgement.segments) {
      const members = yield* inner.segmentMembers(organizationId, segment.id);
      const own = users.map(({ ordinal }) => ordinal).filter((ordinal) => members.has(ordinal));
      told.set(segment.id, new Set(own));
    }
    const tell: Tell = (type, data) => change.recording.lead(type, data, time);
    for (const at of midnightsBetween(timeZone, mark.settledThrough, judgement.at)) {
      const moves: Moves[] = [];
      for (const { segment, isMember } of state.on(at).segments) {
        const members = told.get(segment.id);
        if (members === undefined || segment.isSettling || segment.toldSince >= at) continue;
        const [entered, left]: [StoredUser[], StoredUser[]] = [[], []];
        for (const each of facts) {
          const { user } = each;
          const is = isMember(each);
          if ((through.get(user.ordinal) ?? 0) >= at || is === members.has(user.ordinal)) continue;
          (is ? entered : left).push(user);
          if (is) members.add(user.ordinal);
          else members.delete(user.ordinal);
        }
        moves.push({ segment, entered, left });
      }
      const cause = { at, because: "time", day: dayIn(timeZone, at) } as const;
      yield* move(inner, organizationId, moves, cause, tell);
    }
  }

  *#retellAll(segments: SegmentsNow): Step<void> {
    const { at, segments: judged } = segments.judgement;
    for (const { segment } of judged) {
      if (segment.isSettling) continue;
      yield* this.#retell(segments, segment);
      yield* this.inner.updateSegment(this.organizationId, { ...segment, toldSince: at });
    }
    this.#isTemplateChanged = false;
    this.#segments = undefined;
  }

  /** Compares the members of a segment with those who were told. */
  *#retell(segments: SegmentsNow, segment: Moves["segment"]): Step<void> {
    const { inner, organizationId } = this;
    const { at } = segments.judgement;
    const told = yield* inner.segmentMembers(organizationId, segment.id);
    const question = { organizationId, filter: JSON.parse(segment.filter), at };
    const members = yield* allMatching(inner, question);
    for (const [side, ordinals] of [
      ["left", told.without(members)],
      ["entered", members.without(told)],
    ] as const) {
      for (let from = 0; ; ) {
        const some = ordinals.from(from, MOST_MOVES);
        const last = some.at(-1);
        if (last === undefined) break;
        from = last + 1;
        const users = yield* inner.usersByOrdinal(organizationId, some);
        const none: Moves = { segment, entered: [], left: [] };
        yield* this.#moveByChange(segments, [{ ...none, [side]: users }]);
        yield* this.change.recording.write(inner);
      }
    }
  }

  *#moveByChange(segments: SegmentsNow, moves: readonly Moves[]): Step<void> {
    const { inner, organizationId, change } = this;
    if (moves.length === 0) return;
    const { recording, isSilent } = change;
    const at = Date.parse(recording.newestTimestamp);
    const { state, judgement } = segments;
    const day = dayIn(state.timeZone, Math.max(at, judgement.at));
    const cause = { at, because: "change", day } as const;
    // Nobody is told of members who are being counted anew.
    const counted = moves.filter(({ segment }) => segment.isSettling);
    const known = moves.filter(({ segment }) => !segment.isSettling);
    yield* move(inner, organizationId, counted, cause, null);
    yield* move(inner, organizationId, known, cause, isSilent ? null : recording.record);
  }

  #forget(): void {
    this.#touched = [];
    this.#added = [];
    this.#touches = 0;
    this.#onlyPass = null;
    this.#kept.clear();
    this.#kinds.clear();
    this.#gone.clear();
  }

  *#now(): Step<SegmentsNow | null> {
    if (this.#segments === undefined)
      this.#segments = yield* this.find(this.inner, this.change.organizationId);
    return this.#segments;
  }
}

const noSegments: ReadonlySet<JudgedSegment> = new Set();

/** Returns whether time is told of everybody, and no members are being counted anew. */
function isSettled({ mark, judgement, state }: SegmentsNow): boolean {
  return mark.settledThrough >= judgement.at && !state.isCounting;
}

/** The segments that read facts of a kind. */
function readersOf({ judgement }: SegmentsNow, kind: FactKind): readonly JudgedSegment[] {
  if (!judgement.kinds.has(kind)) return [];
  return judgement.segments.filter(({ kinds }) => kinds.has(kind));
}

/** What is known of a customer, with another state of a pass. */
function withPass({ user, tags, passes, subscription }: CustomerFacts, pass: StoredPass): CustomerFacts {
  const all = passes.map((each) => (each.pass.id === pass.id ? { ...each, pass } : each));
  return new CustomerFacts(user, tags, all, subscription);
}

function kindsOf(segments: readonly JudgedSegment[]): ReadonlySet<FactKind> {
  return new Set(segments.flatMap(({ kinds }) => [...kinds]));
}
