import type { Step } from "../concurrency/step.js";
import { CustomerFacts } from "../segments/customer-facts.js";
import { customerFacts, type FactKind, factsAgain } from "../segments/facts.js";
import { allMatching } from "../segments/matching.js";
import type { StoredCard, StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { ChangeWatch, WatchedChange } from "../tenant/watching.js";
import { dayIn } from "../values/calendar-days.js";
import { CardChange, OneCard } from "./card-flips.js";
import type { JudgedSegment } from "./judged-segments.js";
import { type DecidedSegment, decisionsOf, movedByCard } from "./moved-by-card.js";
import { MOST_MOVES, type Mover, type Moves, move } from "./moves.js";
import { isSettled, kindsOf, readersOf, type SegmentsNow } from "./segments-now.js";
import { markSettled, type Settling, settle } from "./time-moves.js";
import { type FactWatch, WatchedWrites, watchedTransaction } from "./watched-transaction.js";

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

/** A customer, and the segments that one card decides since the only write of this change that touched anybody. */
interface Decided {
  readonly user: Mover;
  readonly before: StoredPass;
  readonly segments: readonly DecidedSegment[];
}

/** Sees what one change does to the customers of an organization whose segments emit events. */
export class Watch implements ChangeWatch, FactWatch {
  readonly tx: StorageTransaction;
  readonly #settling: Settling;
  /** `undefined` before the first write that it sees. */
  #segments: SegmentsNow | null | undefined;
  #touched: Touched[] = [];
  #decided: Decided | null = null;
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
    const { organizationId, recording } = change;
    this.#settling = { tx: inner, organizationId, recording };
    this.tx = watchedTransaction(inner, new WatchedWrites(inner, this));
  }

  get organizationId(): string {
    return this.change.organizationId;
  }

  *readers(kind: FactKind): Step<readonly JudgedSegment[]> {
    const segments = yield* this.#now();
    return segments === null ? [] : readersOf(segments, kind);
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
    among: readonly JudgedSegment[] | null = null,
  ): Step<void> {
    const segments = yield* this.#now();
    if (segments === null) return;
    const moved = among ?? readersOf(segments, kind);
    if (moved.length === 0) return;
    // Of several writes the last one leaves what there is then.
    this.#onlyPass = null;
    this.#touches += 1;
    this.#kinds.add(kind);
    yield* this.#readDecided();
    const users = yield* find();
    for (let at = 0; at < users.length; at += MOST_MOVES)
      yield* this.#touchSome(segments, moved, users.slice(at, at + MOST_MOVES));
  }

  *touchCard(before: StoredPass, card: StoredCard): Step<void> {
    const segments = yield* this.#now();
    if (segments === null) return;
    const change = isSettled(segments) ? changeOf(before, card) : null;
    const moved = change === null ? readersOf(segments, "passes") : movedByCard(segments.judgement, change);
    if (moved.length === 0) return;
    const isFirst = this.#touches === 0;
    this.#onlyPass = isFirst ? { ...before, card } : null;
    this.#touches += 1;
    this.#kinds.add("passes");
    yield* this.#readDecided();
    const open = isFirst && change !== null ? yield* this.#decide(moved, before, change) : moved;
    if (open.length === 0) return;
    const user = yield* this.inner.findUser(this.organizationId, before.userId);
    if (user !== null) yield* this.#touchSome(segments, open, [user]);
  }

  /**
   * Keeps what a changed card decides by itself: where time is told of everybody, those who are told to be members are
   * those who were, so nothing else is read for it. @returns the segments of which facts have to be read.
   */
  *#decide(
    moved: readonly JudgedSegment[],
    before: StoredPass,
    change: CardChange,
  ): Step<readonly JudgedSegment[]> {
    const holder = yield* this.inner.holderOfPass(this.organizationId, before.id);
    if (holder === null) return moved;
    const { decided, open } = decisionsOf(moved, holder.passes === 1 ? change.alone() : change);
    if (decided.length > 0)
      this.#decided = { user: { id: before.userId, ordinal: holder.ordinal }, before, segments: decided };
    return open;
  }

  /** Reads the facts of whom a card decided, before another write of this change, by which that may not hold any more. */
  *#readDecided(): Step<void> {
    const decided = this.#decided;
    if (decided === null) return;
    this.#decided = null;
    const { before: pass } = decided;
    const user = yield* this.inner.findUser(this.organizationId, decided.user.id);
    if (user === null) return;
    const segments = decided.segments.map(({ judged }) => judged);
    const kinds = kindsOf(segments);
    const facts = yield* customerFacts(this.inner, this.organizationId, [user], kinds);
    const before = new Map(
      facts.map((each) => {
        const then = withPass(each, pass);
        return [user.id, segments.map(({ isMember }) => isMember(then))];
      }),
    );
    this.#kept.set(user.ordinal, new Set([...(this.#kept.get(user.ordinal) ?? []), ...segments]));
    this.#touched.push({ kinds, segments, facts, before });
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
      yield* markSettled(this.#settling, segments, users.slice(at, at + MOST_MOVES));
  }

  /** Settles time for a user who goes, of whom nothing else is told. */
  *removed(userId: string): Step<void> {
    this.#gone.add(userId);
    const segments = yield* this.#now();
    if (segments === null || isSettled(segments)) return;
    const user = yield* this.inner.findUser(this.organizationId, userId);
    if (user !== null && !this.#kept.has(user.ordinal)) yield* settle(this.#settling, segments, [user]);
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
    const moves = new Map<JudgedSegment, { entered: Mover[]; left: Mover[] }>();
    const note = (one: JudgedSegment, is: boolean, user: Mover) => {
      const known = moves.get(one) ?? { entered: [], left: [] };
      moves.set(one, known);
      known[is ? "entered" : "left"].push(user);
    };
    for (const { segments: judged, before, facts } of yield* this.#known(segments)) {
      for (const each of facts) {
        const { user } = each;
        if (this.#gone.has(user.id)) continue;
        const was = before.get(user.id);
        for (const [nth, one] of judged.entries()) {
          const is = one.isMember(each);
          if (is !== (was?.[nth] ?? false) || one.segment.isSettling) note(one, is, user);
        }
      }
    }
    const decided = this.#decided;
    if (decided !== null && !this.#gone.has(decided.user.id))
      for (const { judged, is } of decided.segments) note(judged, is, decided.user);
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
    yield* settle(
      this.#settling,
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
    if (!state.isCounting) {
      yield* move(inner, organizationId, moves, cause, isSilent ? null : recording.record);
      return;
    }
    // Nobody is told of members who are being counted anew.
    const counted = moves.filter(({ segment }) => segment.isSettling);
    const known = moves.filter(({ segment }) => !segment.isSettling);
    yield* move(inner, organizationId, counted, cause, null);
    yield* move(inner, organizationId, known, cause, isSilent ? null : recording.record);
  }

  #forget(): void {
    this.#touched = [];
    this.#decided = null;
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

/** `null` for a pass without a card. */
function changeOf({ templateId, card }: StoredPass, after: StoredCard): CardChange | null {
  return card === null ? null : new CardChange(new OneCard(templateId, card), new OneCard(templateId, after));
}

/** What is known of a customer, with another state of a pass. */
function withPass({ user, tags, passes, subscription }: CustomerFacts, pass: StoredPass): CustomerFacts {
  const all = passes.map((each) => (each.pass.id === pass.id ? { ...each, pass } : each));
  return new CustomerFacts(user, tags, all, subscription);
}
