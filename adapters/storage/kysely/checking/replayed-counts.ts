import { dayIn, hourIn } from "../../../../src/base/values/calendar-days.js";
import { countPoints } from "../../../../src/statistics/count-deltas.js";
import {
  addDayCounts,
  type DayCounts,
  emptyDayCounts,
  type MomentCounts,
  withHour,
} from "../../../../src/storage/day-counts.js";
import type { PointEntryType } from "../../../../src/storage/points.js";

/** The fields of an event that affect counts. */
export interface CountedEvent {
  readonly type: string;
  readonly createdAt: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A stamp card's totals, as its events report them. */
interface CardTotals {
  readonly collected: number;
  readonly completed: number;
  readonly left: number;
}

/** A stamp card's state, as reported by one of its events. */
export interface ReplayedCard extends CardTotals {
  readonly stamps: number;
  /** When the card was last stamped, in milliseconds since the Unix epoch, or `null` if it has never been stamped. */
  readonly lastStampAt: number | null;
}

/** The amounts that a ledger entry adds to the counts for its day. */
export type EntryCounts = Pick<MomentCounts, "stamps" | "visits" | "rewardsEarned" | "rewardsRedeemed">;

/**
 * A card change whose counts only the ledger shows: it has no earlier event to compare it with, or a purchase may have caused it,
 * whose visit another change may have counted.
 */
export interface UnclearChange extends ReplayedCard {
  readonly passId: string;
  readonly type: string;
  readonly createdAt: number;
  /** The counts that follow from the events, or `null` if none do. */
  readonly knownCounts: Omit<EntryCounts, "visits"> | null;
}

/** An entry of a point ledger, as its event reports it. */
export interface PointEvent {
  readonly id: string;
  readonly passId: string;
  readonly type: PointEntryType;
  readonly points: number;
  /** The ID of the entry that this entry reverses, or `null` if this isn't a reversal. */
  readonly reverses: string | null;
  /** When the points changed, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** When the entry was recorded, in milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** What a point ledger says about an entry, and its event doesn't. */
export interface PointEntryFacts {
  readonly type: PointEntryType;
  readonly isImported: boolean;
}

const UNKNOWN_COUNT = Number.NaN;

const unknownCounts: EntryCounts = {
  stamps: UNKNOWN_COUNT,
  visits: UNKNOWN_COUNT,
  rewardsEarned: UNKNOWN_COUNT,
  rewardsRedeemed: UNKNOWN_COUNT,
};

/** The event types, other than stamp card events, that change counts. */
export const countedTypes = [
  "user.created",
  "user.deleted",
  "pass.created",
  "pass.revoked",
  "pass.installed",
];

/**
 * Recomputes daily counts by replaying events in order. A count that can't be determined is `NaN`. For example, once a customer is
 * erased, the events no longer show which of the customer's passes were previews or which wallet they were in.
 */
export class ReplayedCounts {
  readonly days = new Map<number, DayCounts>();
  /** Each pass's totals from its most recent event, keyed by pass ID. */
  readonly #cards = new Map<string, CardTotals>();
  readonly #cardCounts = new Map<string, number>();
  /** When each pass's points last changed other than by expiring, keyed by pass ID. */
  readonly #pointTimes = new Map<string, number>();

  /** @param timeZone the time zone that determines when days begin and end. */
  constructor(private readonly timeZone: string) {}

  /**
   * Adds an event to the counts.
   * @param mayBePurchase whether a purchase may have caused the event.
   * @returns the card change if its counts must be read from the ledger and passed to {@link addChange}, or `null` otherwise.
   */
  replay({ type, createdAt, data }: CountedEvent, mayBePurchase: boolean): UnclearChange | null {
    const day = dayIn(this.timeZone, createdAt);
    if (type === "user.created") this.#add(day, { members: 1 });
    else if (type === "user.deleted") this.#add(day, { members: -1 });
    else if (type === "pass.created") {
      const cards = typeof data.isPreviewPass === "boolean" ? 1 - Number(data.isPreviewPass) : UNKNOWN_COUNT;
      this.#cardCounts.set(String(data.id), cards);
      this.#add(day, { cards });
    } else if (type === "pass.revoked") {
      this.#add(day, { cards: -(this.#cardCounts.get(String(data.id)) ?? UNKNOWN_COUNT) });
    } else if (type === "pass.installed") this.#add(day, countInstalls(data.platform));
    else return this.#replayCardChange(type, createdAt, data, mayBePurchase);
    return null;
  }

  /**
   * Adds a card change's counts, as read from the ledger.
   * @param counts the counts, or `null` if they can't be determined from the ledger.
   */
  addChange({ createdAt, knownCounts }: UnclearChange, counts: EntryCounts | null): void {
    this.#addCounts(createdAt, { ...(counts ?? unknownCounts), ...knownCounts });
  }

  /**
   * Returns the ID of the entry whose facts {@link replayPoints} needs, or `null` if the event says enough. The first points of a
   * pass may come from an import, and the points that a reversal gives back may have been spent or removed.
   */
  findUnclearEntry({ id, passId, type, points, reverses }: PointEvent): string | null {
    if (type === "reversed") return points > 0 ? reverses : null;
    return type === "added" && !this.#pointTimes.has(passId) ? id : null;
  }

  /**
   * Adds the counts of a point entry.
   * @param facts the facts about the unclear entry, or `null` if the ledger no longer has it.
   */
  replayPoints(event: PointEvent, facts: PointEntryFacts | null): void {
    const { passId, type, at, createdAt } = event;
    const isClear = this.findUnclearEntry(event) === null;
    // Points that expire in the change that gave them count on its day, and all others on their last day.
    const countedAt =
      type === "expired" ? Math.max(at - 1, this.#pointTimes.get(passId) ?? at - 1) : createdAt;
    if (type !== "expired") this.#pointTimes.set(passId, createdAt);
    this.#add(
      dayIn(this.timeZone, countedAt),
      isClear ? countClearPoints(event) : countUnclearPoints(event, facts),
    );
  }

  #addCounts(createdAt: number, counts: EntryCounts): void {
    const day = dayIn(this.timeZone, createdAt);
    this.#add(day, withHour(counts, hourIn(this.timeZone, createdAt)));
  }

  #add(day: number, counts: Partial<DayCounts>): void {
    this.days.set(day, addDayCounts(this.days.get(day) ?? emptyDayCounts, counts));
  }

  #replayCardChange(
    type: string,
    createdAt: number,
    data: Readonly<Record<string, unknown>>,
    mayBePurchase: boolean,
  ): UnclearChange | null {
    const sums = {
      collected: readNumber(data.totalStampsCollected),
      completed: readNumber(data.timesCompleted),
      left: readNumber(data.rewardsAvailable),
    };
    const passId = String(data.walletPassId);
    const previous = this.#cards.get(passId);
    this.#cards.set(passId, sums);
    const { lastStampAt } = data;
    const change = {
      ...sums,
      stamps: readNumber(data.currentStamps),
      lastStampAt: typeof lastStampAt === "string" ? Date.parse(lastStampAt) : null,
      passId,
      type,
      createdAt,
    };
    if (previous === undefined) return { ...change, knownCounts: null };
    const completions = sums.completed - previous.completed;
    const extraRewards = sums.left - previous.left - completions;
    const rewardsEarned = completions + countGranted(type, extraRewards);
    const knownCounts = {
      stamps: sums.collected - previous.collected,
      rewardsEarned,
      rewardsRedeemed: rewardsEarned - (sums.left - previous.left),
    };
    if (mayBePurchase && knownCounts.stamps !== 0) return { ...change, knownCounts };
    this.#addCounts(createdAt, { visits: Math.sign(knownCounts.stamps), ...knownCounts });
    return null;
  }
}

/** Counts a point entry whose event says enough. Only added points are negative when they are reversed. */
function countClearPoints({ type, points }: PointEvent): Partial<DayCounts> {
  return countPoints(type === "reversed" ? "added" : type, points);
}

function countUnclearPoints({ type, points }: PointEvent, facts: PointEntryFacts | null): Partial<DayCounts> {
  if (facts !== null) return facts.isImported && type === "added" ? {} : countPoints(facts.type, points);
  return type === "added"
    ? { pointsGiven: UNKNOWN_COUNT }
    : { pointsGiven: UNKNOWN_COUNT, pointsSpent: UNKNOWN_COUNT };
}

/** Returns how many rewards an event granted in addition to those from full cards. A reversed grant counts as negative. */
function countGranted(type: string, extraRewards: number): number {
  if (type === "reward.granted") return extraRewards;
  return type === "stamp.reversed" ? Math.min(extraRewards, 0) : 0;
}

function readNumber(value: unknown): number {
  return typeof value === "number" ? value : UNKNOWN_COUNT;
}

function countInstalls(platform: unknown): Partial<DayCounts> {
  if (platform === "apple") return { installsApple: 1 };
  if (platform === "google") return { installsGoogle: 1 };
  if (platform === null) return { installsOther: 1 };
  return { installsApple: UNKNOWN_COUNT, installsGoogle: UNKNOWN_COUNT, installsOther: UNKNOWN_COUNT };
}
