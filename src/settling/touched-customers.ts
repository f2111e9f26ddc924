import type { Step } from "../concurrency/step.js";
import { CustomerFacts } from "../segments/customer-facts.js";
import { customerFacts, type FactKind, factsAgain } from "../segments/facts.js";
import type { PassWithOwner, StoredPass, StoredStampCard } from "../storage/passes.js";
import type { StoredUser } from "../storage/users.js";
import { CardChange, OneCard } from "./card-flips.js";
import type { JudgedSegment } from "./judged-segments.js";
import { type DecidedSegment, decisionsOf, movedByCard } from "./moved-by-card.js";
import { MOST_MOVES, type Mover, type Movers } from "./moves.js";
import { isSettled, kindsOf, readersOf, type SegmentsNow } from "./segments-now.js";
import { markSettled, type Settling, settle } from "./time-moves.js";

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

/** The customers whom the writes of a change touch, and which segments they were members of before. */
export class TouchedCustomers {
  #touched: Touched[] = [];
  #decided: Decided | null = null;
  #added: StoredUser[] = [];
  /** The segments of which is kept whether a user was a member, for each who was touched, by ordinal. */
  readonly #kept = new Map<number, ReadonlySet<JudgedSegment>>();
  /** The kinds of facts that were touched. */
  readonly #kinds = new Set<FactKind>();
  readonly #gone = new Set<string>();
  #touches = 0;
  /** What the only write of this change made of a pass; `null` where there may have been others. */
  #onlyCard: { readonly before: StoredPass; readonly card: StoredStampCard } | null = null;

  constructor(private readonly on: Settling) {}

  get isAny(): boolean {
    return this.#touches > 0;
  }

  /** Settles time for users whose facts of a kind are about to change, and keeps which segments they are members of. */
  *touch(
    segments: SegmentsNow,
    kind: FactKind,
    among: readonly JudgedSegment[],
    find: () => Step<readonly StoredUser[]>,
  ): Step<void> {
    // Of several writes the last one leaves what there is then.
    this.#onlyCard = null;
    this.#touches += 1;
    this.#kinds.add(kind);
    yield* this.#readDecided();
    const users = yield* find();
    for (let at = 0; at < users.length; at += MOST_MOVES)
      yield* this.#touchSome(segments, among, users.slice(at, at + MOST_MOVES));
  }

  /** The same for the user of a pass whose card, and nothing else, is about to change. */
  *touchCard(segments: SegmentsNow, before: PassWithOwner, card: StoredStampCard): Step<void> {
    const change = isSettled(segments) ? changeOf(before, card) : null;
    const moved = change === null ? readersOf(segments, "passes") : movedByCard(segments.judgement, change);
    if (moved.length === 0) return;
    const isFirst = this.#touches === 0;
    this.#onlyCard = isFirst ? { before, card } : null;
    this.#touches += 1;
    this.#kinds.add("passes");
    if (this.#decided !== null) yield* this.#readDecided();
    const open = isFirst && change !== null ? this.#decide(moved, before, change) : moved;
    if (open.length === 0) return;
    const { tx, organizationId } = this.on;
    const user = yield* tx.findUser(organizationId, before.userId);
    if (user !== null) yield* this.#touchSome(segments, open, [user]);
  }

  /** Notes users who have been added: they were members of nothing. */
  *add(segments: SegmentsNow, users: readonly StoredUser[]): Step<void> {
    const all = new Set(segments.judgement.segments);
    this.#onlyCard = null;
    this.#touches += 1;
    for (const user of users) {
      this.#added.push(user);
      this.#kept.set(user.ordinal, all);
    }
    for (let at = 0; at < users.length; at += MOST_MOVES)
      yield* markSettled(this.on, segments, users.slice(at, at + MOST_MOVES));
  }

  /** Settles time for a user who goes, of whom nothing else is told. */
  *remove(segments: SegmentsNow | null, userId: string): Step<void> {
    this.#gone.add(userId);
    if (segments === null || isSettled(segments)) return;
    const { tx, organizationId } = this.on;
    const user = yield* tx.findUser(organizationId, userId);
    if (user !== null && !this.#kept.has(user.ordinal)) yield* settle(this.on, segments, [user]);
  }

  /** Returns who enters and leaves by the writes so far, by the age of the segments, and forgets them. */
  *takeMoved(segments: SegmentsNow): Step<Movers[]> {
    const isDecided = this.#touched.length + this.#added.length === 0;
    const moved = isDecided ? this.#movedByCard() : yield* this.#movedByFacts(segments);
    this.#forget();
    return moved;
  }

  /** Who moves where one card decides it all. */
  #movedByCard(): Movers[] {
    const decided = this.#decided;
    if (decided === null || this.#gone.has(decided.user.id)) return [];
    const users = [decided.user];
    return decided.segments.map(({ judged: { segment }, is }) =>
      is ? { segment, entered: users, left: nobody } : { segment, entered: nobody, left: users },
    );
  }

  *#movedByFacts(segments: SegmentsNow): Step<Movers[]> {
    const moved = new Map<JudgedSegment, { entered: Mover[]; left: Mover[] }>();
    const note = (one: JudgedSegment, is: boolean, user: Mover) => {
      const known = moved.get(one) ?? { entered: [], left: [] };
      moved.set(one, known);
      known[is ? "entered" : "left"].push(user);
    };
    for (const { segments: judged, before, facts } of yield* this.#known(segments)) {
      for (const each of facts) {
        const { user } = each;
        if (this.#gone.has(user.id)) continue;
        const was = before.get(user.id);
        for (const [nth, one] of judged.entries()) {
          const is = one.isMember(each);
          if (is !== (was?.[nth] ?? false) || one.segment.isRecounting) note(one, is, user);
        }
      }
    }
    const decided = this.#decided;
    if (decided !== null && !this.#gone.has(decided.user.id))
      for (const { judged, is } of decided.segments) note(judged, is, decided.user);
    return [...moved]
      .sort(([one], [other]) => one.place - other.place)
      .map(([{ segment }, sides]) => ({ segment, ...sides }));
  }

  /**
   * Keeps what a changed card decides by itself: where time is told of everybody, those who are told to be members are
   * those who were, so nothing else is read for it. @returns the segments of which facts have to be read.
   */
  #decide(
    moved: readonly JudgedSegment[],
    before: PassWithOwner,
    change: CardChange,
  ): readonly JudgedSegment[] {
    const { decided: segments, open } = decisionsOf(moved, change);
    const user = { id: before.userId, ordinal: before.userOrdinal };
    if (segments.length > 0) this.#decided = { user, before, segments };
    return open;
  }

  /** Reads the facts of whom a card decided, before another write of this change, by which that may not hold any more. */
  *#readDecided(): Step<void> {
    const decided = this.#decided;
    if (decided === null) return;
    this.#decided = null;
    const { tx, organizationId } = this.on;
    const { before: pass } = decided;
    const user = yield* tx.findUser(organizationId, decided.user.id);
    if (user === null) return;
    const segments = decided.segments.map(({ judged }) => judged);
    const kinds = kindsOf(segments);
    const facts = yield* customerFacts(tx, organizationId, [user], kinds);
    const before = new Map(
      facts.map((each) => {
        const then = withPass(each, pass);
        return [user.id, segments.map(({ isMember }) => isMember(then))];
      }),
    );
    this.#kept.set(user.ordinal, new Set([...(this.#kept.get(user.ordinal) ?? []), ...segments]));
    this.#touched.push({ kinds, segments, facts, before });
  }

  *#touchSome(
    segments: SegmentsNow,
    among: readonly JudgedSegment[],
    users: readonly StoredUser[],
  ): Step<void> {
    yield* settle(
      this.on,
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
    const { tx, organizationId } = this.on;
    for (const [kept, some] of alike) {
      // Who is a member of the others was kept before a write could move anybody there for the first time.
      const judged = among.filter((one) => !kept.has(one));
      if (judged.length === 0) continue;
      const now = kept.size === 0 ? new Set(judged) : new Set([...kept, ...judged]);
      for (const { ordinal } of some) this.#kept.set(ordinal, now);
      const kinds = kindsOf(judged);
      const facts = yield* customerFacts(tx, organizationId, some, kinds);
      const before = new Map(
        facts.map((each) => [each.user.id, judged.map(({ isMember }) => isMember(each))]),
      );
      this.#touched.push({ kinds, segments: judged, facts, before });
    }
  }

  /** What is known of the customers now. */
  *#known({ judgement }: SegmentsNow): Step<Omit<Touched, "kinds">[]> {
    const { tx, organizationId } = this.on;
    const all: Omit<Touched, "kinds">[] = [];
    for (const { kinds, segments, facts, before } of this.#touched) {
      const changed = new Set([...kinds].filter((kind) => this.#kinds.has(kind)));
      const only = this.#onlyCard;
      const now =
        only === null
          ? yield* factsAgain(tx, organizationId, facts, changed)
          : facts.map((each) => withPass(each, { ...only.before, card: only.card }));
      all.push({ segments, before, facts: now });
    }
    const { segments } = judgement;
    for (let at = 0; at < this.#added.length; at += MOST_MOVES) {
      const given = this.#added.slice(at, at + MOST_MOVES);
      const users = this.#kinds.has("user")
        ? yield* tx.usersById(
            organizationId,
            given.map(({ id }) => id),
          )
        : given;
      const facts = yield* customerFacts(tx, organizationId, users, kindsOf(segments));
      all.push({ segments, before: new Map(), facts });
    }
    return all;
  }

  #forget(): void {
    this.#touched = [];
    this.#decided = null;
    this.#added = [];
    this.#touches = 0;
    this.#onlyCard = null;
    this.#kept.clear();
    this.#kinds.clear();
    this.#gone.clear();
  }
}

const noSegments: ReadonlySet<JudgedSegment> = new Set();
const nobody: readonly Mover[] = [];

/** `null` for a pass without a card. */
function changeOf(before: PassWithOwner, card: StoredStampCard): CardChange | null {
  if (before.card === null) return null;
  const { templateId, passesOfUser } = before;
  const isOnly = passesOfUser === 1;
  return new CardChange(new OneCard(templateId, before.card, isOnly), new OneCard(templateId, card, isOnly));
}

/** What is known of a customer, with another state of a pass. */
function withPass({ user, tags, passes, subscription }: CustomerFacts, pass: StoredPass): CustomerFacts {
  const all = passes.map((each) => (each.pass.id === pass.id ? { ...each, pass } : each));
  return new CustomerFacts(user, tags, all, subscription);
}
