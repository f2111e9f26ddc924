import { createLoyaltyError } from "../base/errors.js";
import { countPoints } from "../statistics/count-deltas.js";
import type { StoredActor } from "../storage/actors.js";
import type { MomentCounts } from "../storage/day-counts.js";
import type { PointChange, StoredPointCard, StoredPointEntry, StoredPointLot } from "../storage/points.js";
import { computeBalance, getLotEnd, hasPoints } from "./balance.js";
import { type LotPart, type PointBalance, parseLotParts } from "./schema.js";

/** The fields of an entry besides its points. */
export interface EntryDetails {
  /** When the points changed, in milliseconds since the Unix epoch. Default: now. */
  readonly at?: number;
  readonly note?: string | null;
  /** The source and the receipt of the purchase that the entry is about. */
  readonly source?: string | null;
  readonly receipt?: string | null;
  /** Default: `false`. */
  readonly isImported?: boolean;
  /** A time on the day whose statistics count the entry, in milliseconds since the Unix epoch. Default: now. */
  readonly countedAt?: number;
}

/** An entry with what it adds to the statistics. */
export interface CountedEntry {
  readonly entry: StoredPointEntry;
  readonly counts: Partial<MomentCounts>;
  /** A time on the day that the counts belong to, in milliseconds since the Unix epoch. */
  readonly countedAt: number;
}

/** How a new entry changes the card. */
interface NewEntry {
  readonly type: StoredPointEntry["type"];
  readonly points: number;
  /** Default: 0. */
  readonly debt?: number;
  readonly parts: readonly LotPart[];
  /** The terms of the lot that the entry adds. Default: it adds none. */
  readonly terms?: LotTerms | null;
  /** The entry that this one reverses. Default: none. */
  readonly reverses?: StoredPointEntry;
}

/** When points can be used, and which purchase gave them. */
export interface LotTerms {
  readonly usableFrom: number;
  readonly expiresAt: number | null;
  readonly purchaseId?: string | null;
}

/** Points that a purchase gave and that come back. */
export interface PointReturn {
  readonly points: number;
  readonly purchaseId: string;
  /** The purchase's points that earlier returns left on the card. */
  readonly notTaken: number;
  readonly onReturn: "debt" | "forgive";
  /** The entries that the purchase has on the card so far. */
  readonly entries: readonly StoredPointEntry[];
}

/** The actor of entries that no caller made, such as entries for points that expire. */
const clockActor: StoredActor = { actor: JSON.stringify({ kind: "worker" }), subject: null };

/**
 * The points of one card while they change. Each method appends an entry, and the entry moves the lots and the debt. Points that
 * have expired are taken off first, so the balance is right at any time.
 */
export class PointLedger {
  /** The lots by their sequence. */
  private readonly lots = new Map<number, StoredPointLot>();
  private readonly changedLots = new Set<number>();
  private readonly appendedEntries: CountedEntry[] = [];

  /**
   * @param card the card as it is stored.
   * @param openLots all of its lots that have points left.
   * @param now the current time, in milliseconds since the Unix epoch.
   */
  constructor(
    private card: StoredPointCard,
    openLots: readonly StoredPointLot[],
    readonly now: number,
    private readonly actor: StoredActor,
  ) {
    this.includeLots(openLots);
    // The points ended while nothing else happened, so they count on their last day.
    this.expire((end) => end - 1);
  }

  /** Adds lots without points left, which a return or a reversal is about. */
  includeLots(lots: readonly StoredPointLot[]): void {
    for (const lot of lots) if (!this.lots.has(lot.sequence)) this.lots.set(lot.sequence, lot);
  }

  /** The entries that were appended, in order. */
  get entries(): readonly StoredPointEntry[] {
    return this.appendedEntries.map(({ entry }) => entry);
  }

  /** The entries that were appended, in order, with what they add to the statistics. */
  get countedEntries(): readonly CountedEntry[] {
    return this.appendedEntries;
  }

  /** The card after the entries. */
  get changedCard(): StoredPointCard {
    let nextChangeAt = Number.POSITIVE_INFINITY;
    for (const lot of this.lots.values()) {
      if (!hasPoints(lot)) continue;
      nextChangeAt = Math.min(nextChangeAt, getLotEnd(lot));
      if (lot.usableFrom > this.now) nextChangeAt = Math.min(nextChangeAt, lot.usableFrom);
    }
    return {
      ...this.card,
      updatedAt: this.now,
      nextChangeAt: Number.isFinite(nextChangeAt) ? nextChangeAt : null,
    };
  }

  /** The changed rows, for the storage. */
  get change(): PointChange {
    const lots = [...this.lots.values()].filter(({ sequence }) => this.changedLots.has(sequence));
    return { card: this.changedCard, lots, entries: this.entries };
  }

  get balance(): PointBalance {
    return computeBalance([...this.lots.values()], this.now);
  }

  /** Gives points. They pay debt first, even while they are pending, and the rest becomes a lot. */
  give(type: "earned" | "added", points: number, terms: LotTerms, details: EntryDetails): StoredPointEntry {
    const paidDebt = Math.min(this.card.debt, points);
    const lot = this.addLot(points - paidDebt, terms);
    const parts = [{ lot: lot.sequence, points: lot.points }];
    const entry = this.append({ type, points, debt: -paidDebt, parts, terms }, details);
    this.expire();
    return entry;
  }

  /** @throws {LoyaltyError} `not_enough_points` if fewer points are available. */
  spend(points: number, details: EntryDetails): StoredPointEntry {
    const parts = takeInOrder(points, this.listUsableLots());
    if (countMissing(points, parts) > 0) throw createLoyaltyError("not_enough_points");
    return this.append({ type: "spent", points: -points, parts }, details);
  }

  /** @throws {LoyaltyError} `not_enough_points` if fewer points are available, unless debt is allowed. */
  remove(points: number, allowsDebt: boolean, details: EntryDetails): StoredPointEntry {
    const parts = takeInOrder(points, allowsDebt ? this.listDebtPayingLots() : this.listUsableLots());
    const debt = countMissing(points, parts);
    if (debt > 0 && !allowsDebt) throw createLoyaltyError("not_enough_points");
    return this.append({ type: "removed", points: -points, debt, parts }, details);
  }

  /**
   * Takes back points that a purchase gave: the rest of its own lots, then the expired part of those lots, then points of other
   * lots. Points that are still missing become debt, unless returns are forgiven.
   * @returns the entry, or `null` if nothing was taken, and the number of points that weren't taken.
   */
  takeBack(
    { points, purchaseId, notTaken, onReturn, entries }: PointReturn,
    details: EntryDetails,
  ): { readonly entry: StoredPointEntry | null; readonly notTaken: number } {
    // The newest lot goes first, so that a purchase that grew and shrank leaves its first lot whole.
    const ownLots = [...this.lots.values()]
      .filter((lot) => lot.purchaseId === purchaseId)
      .sort(byAge)
      .reverse();
    const isOther = (lot: StoredPointLot) => !ownLots.includes(lot);
    const ownParts = takeInOrder(points, ownLots);
    const expiredPoints = ownLots.reduce((sum, { expired }) => sum + expired, 0);
    const excusedPoints = Math.min(countMissing(points, ownParts), Math.max(0, expiredPoints - notTaken));
    const rest = countMissing(points, ownParts) - excusedPoints;
    const usableParts = takeInOrder(rest, this.listUsableLots().filter(isOther));
    const shortfall = countMissing(rest, usableParts);
    // Debt that the purchase's points had paid is owed again even if returns are forgiven. Else buying and returning would cancel it.
    const paidDebt = Math.max(0, countDebtPaid(entries, ownLots) + sumPoints(usableParts));
    const dueDebt = onReturn === "debt" ? shortfall : Math.min(shortfall, paidDebt);
    const pendingParts = takeInOrder(dueDebt, this.listPendingLots().filter(isOther));
    const total = points - excusedPoints - (shortfall - dueDebt);
    if (total === 0) return { entry: null, notTaken: points };
    const parts = [...ownParts, ...usableParts, ...pendingParts];
    const debt = countMissing(dueDebt, pendingParts);
    const entry = this.append({ type: "returned", points: -total, debt, parts }, details);
    return { entry, notTaken: points - total };
  }

  /**
   * Reverses an entry that added, removed, or spent points. Points that go back pay debt first, and then return to the lots that
   * they came from.
   * @param graceUntil until when points can be used that return to a lot that has expired, or `null` if they expire immediately.
   * @throws {LoyaltyError} `not_reversible`, or `not_enough_points` if points that were added have been used.
   */
  reverse(entry: StoredPointEntry, graceUntil: number | null, details: EntryDetails): StoredPointEntry {
    if (entry.type === "added") return this.reverseAddition(entry, details);
    if (entry.type !== "spent" && entry.type !== "removed") throw createLoyaltyError("not_reversible");
    const reversal = this.reverseUse(entry, graceUntil, details);
    this.expire();
    return reversal;
  }

  /**
   * Makes the pending lots of a purchase usable now, also those without points left.
   * @returns whether any lots were pending.
   */
  confirm(purchaseId: string): boolean {
    const pending = [...this.lots.values()].filter(
      (lot) => lot.purchaseId === purchaseId && lot.usableFrom > this.now,
    );
    for (const lot of pending) this.putLot({ ...lot, usableFrom: this.now });
    return pending.length > 0;
  }

  /**
   * Takes off the rest of each lot that has ended, with one entry for each moment at which lots ended.
   * @param findCountedAt returns when points count as expired whose lot ended at this time. Default: now.
   */
  private expire(findCountedAt: (end: number) => number = () => this.now): void {
    const endedLots = [...this.lots.values()].filter((lot) => hasPoints(lot) && getLotEnd(lot) <= this.now);
    for (const end of [...new Set(endedLots.map(getLotEnd))].sort((a, b) => a - b)) {
      const lots = endedLots.filter((lot) => getLotEnd(lot) === end).sort(byAge);
      const parts = lots.map(({ sequence, remaining }) => ({ lot: sequence, points: -remaining }));
      for (const lot of lots) this.putLot({ ...lot, expired: lot.expired + lot.remaining });
      const details = { at: end, countedAt: findCountedAt(end) };
      this.append({ type: "expired", points: sumPoints(parts), parts }, details);
    }
  }

  /** Takes a gift back from its own lot. What had paid debt is taken from other lots, or owed again. */
  private reverseAddition(entry: StoredPointEntry, details: EntryDetails): StoredPointEntry {
    const ownLots = [...this.lots.values()].filter(({ sequence }) => sequence === entry.sequence);
    if (ownLots.some(({ remaining, points }) => remaining < points))
      throw createLoyaltyError("not_enough_points");
    const otherLots = this.listDebtPayingLots().filter(({ sequence }) => sequence !== entry.sequence);
    const parts = takeInOrder(entry.points, [...ownLots, ...otherLots]);
    const debt = countMissing(entry.points, parts);
    const change = { type: "reversed", points: -entry.points, debt, parts, reverses: entry } as const;
    return this.append(change, details);
  }

  /** Gives points back, first to the debt and then to the lots that they came from. Points that were taken as debt become a new lot. */
  private reverseUse(
    entry: StoredPointEntry,
    graceUntil: number | null,
    details: EntryDetails,
  ): StoredPointEntry {
    const points = -entry.points;
    const paidDebt = Math.min(this.card.debt, points);
    const refundParts = buildRefundParts(Math.max(0, paidDebt - entry.debt), parseLotParts(entry));
    const newPoints = Math.max(0, entry.debt - paidDebt);
    const terms = newPoints > 0 ? { usableFrom: this.now, expiresAt: null } : null;
    const parts =
      terms === null
        ? refundParts
        : [...refundParts, { lot: this.addLot(newPoints, terms).sequence, points: newPoints }];
    for (const part of refundParts) {
      const lot = this.lots.get(part.lot);
      if (lot !== undefined && lot.expiresAt !== null && lot.expiresAt <= this.now)
        this.putLot({ ...lot, graceUntil: maxOrNull(lot.graceUntil, graceUntil) });
    }
    const change = { type: "reversed", points, debt: -paidDebt, parts, terms, reverses: entry } as const;
    return this.append(change, details);
  }

  private addLot(points: number, { usableFrom, expiresAt, purchaseId = null }: LotTerms): StoredPointLot {
    const { passId } = this.card;
    const sequence = this.card.entries + 1;
    const amounts = { points, remaining: 0, expired: 0 };
    const times = { usableFrom, expiresAt, graceUntil: null, createdAt: this.now };
    const lot = { passId, sequence, ...amounts, ...times, purchaseId };
    this.putLot(lot);
    return lot;
  }

  private putLot(lot: StoredPointLot): void {
    this.lots.set(lot.sequence, lot);
    this.changedLots.add(lot.sequence);
  }

  /** Appends an entry and applies it to the lots, the debt, and the sums. Nothing else changes them. */
  private append(
    { type, points, debt = 0, parts, terms = null, reverses }: NewEntry,
    {
      at = this.now,
      note = null,
      source = null,
      receipt = null,
      isImported = false,
      countedAt = this.now,
    }: EntryDetails,
  ): StoredPointEntry {
    const { card } = this;
    const sequence = card.entries + 1;
    // An expired entry is shown before it is written, so everything in it follows from the card.
    const { actor, subject } = type === "expired" ? clockActor : this.actor;
    const entry: StoredPointEntry = {
      passId: card.passId,
      sequence,
      type,
      points,
      debt: debt === 0 ? 0 : debt,
      lots: JSON.stringify(parts.flatMap(({ lot, points }) => (points === 0 ? [] : [[lot, points]]))),
      usableFrom: terms?.usableFrom ?? null,
      expiresAt: terms?.expiresAt ?? null,
      source,
      receipt,
      reverses: reverses?.sequence ?? null,
      isImported,
      note,
      actor,
      subject,
      at,
      createdAt: type === "expired" ? at : this.now,
    };
    for (const part of parts) {
      const lot = this.lots.get(part.lot);
      if (lot !== undefined) this.putLot({ ...lot, remaining: lot.remaining + part.points });
    }
    // A reversal changes the same sum as the entry that it reverses.
    const countedType = reverses?.type ?? type;
    this.card = {
      ...card,
      debt: card.debt + debt,
      earned: card.earned + (type === "earned" || type === "returned" ? points : 0),
      spent: card.spent - (countedType === "spent" ? points : 0),
      expired: card.expired - (type === "expired" ? points : 0),
      entries: sequence,
      lastEarnedAt: type === "earned" ? Math.max(card.lastEarnedAt ?? at, at) : card.lastEarnedAt,
    };
    const counts = isImported ? {} : countPoints(countedType, points);
    this.appendedEntries.push({ entry, counts, countedAt });
    return entry;
  }

  /** Returns the lots that can be spent, in the order in which they are. */
  private listUsableLots(): StoredPointLot[] {
    return this.listOpenLots().filter(({ usableFrom }) => usableFrom <= this.now);
  }

  private listPendingLots(): StoredPointLot[] {
    return this.listOpenLots().filter(({ usableFrom }) => usableFrom > this.now);
  }

  /** Returns the lots from which debt is paid. Pending points pay it too, but only after usable ones. */
  private listDebtPayingLots(): StoredPointLot[] {
    return [...this.listUsableLots(), ...this.listPendingLots()];
  }

  /** Returns the lots with points left. The lot that ends first is first, then the oldest, and lots without an end are last. */
  private listOpenLots(): StoredPointLot[] {
    return [...this.lots.values()].filter(hasPoints).sort((a, b) => compareEnds(a, b) || byAge(a, b));
  }
}

/** Creates the card of a pass whose points have never changed. */
export function createPointCard(passId: string): StoredPointCard {
  const sums = { debt: 0, earned: 0, spent: 0, expired: 0, entries: 0 };
  return { passId, ...sums, lastEarnedAt: null, updatedAt: 0, nextChangeAt: null };
}

/** Returns how much debt the points of a purchase paid, less what its returns took from other lots or as debt. */
function countDebtPaid(entries: readonly StoredPointEntry[], ownLots: readonly StoredPointLot[]): number {
  const ownSequences = new Set(ownLots.map(({ sequence }) => sequence));
  return entries.reduce((paid, entry) => {
    const otherParts = parseLotParts(entry).filter(({ lot }) => !ownSequences.has(lot));
    return paid - entry.debt + sumPoints(otherParts);
  }, 0);
}

/** Leaves out the first points that were taken, and turns the rest into points that go back. */
function buildRefundParts(skippedPoints: number, parts: readonly LotPart[]): readonly LotPart[] {
  const rest: LotPart[] = [];
  let pointsToSkip = skippedPoints;
  for (const { lot, points } of parts) {
    const skip = Math.min(-points, pointsToSkip);
    pointsToSkip -= skip;
    if (-points > skip) rest.push({ lot, points: -points - skip });
  }
  return rest;
}

function takeInOrder(points: number, lots: readonly StoredPointLot[]): readonly LotPart[] {
  const parts: LotPart[] = [];
  let missing = points;
  for (const { sequence, remaining } of lots) {
    if (missing === 0) break;
    const part = Math.min(remaining, missing);
    if (part > 0) parts.push({ lot: sequence, points: -part });
    missing -= part;
  }
  return parts;
}

/** Returns how many of the points these parts don't cover. Parts that were taken are negative. */
function countMissing(points: number, parts: readonly LotPart[]): number {
  return points + sumPoints(parts);
}

function sumPoints(parts: readonly LotPart[]): number {
  return parts.reduce((sum, { points }) => sum + points, 0);
}

function compareEnds(a: StoredPointLot, b: StoredPointLot): number {
  const [end, other] = [getLotEnd(a), getLotEnd(b)];
  return end === other ? 0 : end - other;
}

function byAge(a: StoredPointLot, b: StoredPointLot): number {
  return a.sequence - b.sequence;
}

function maxOrNull(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
