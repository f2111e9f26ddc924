import { refuse } from "./refuse.js";

/** The points of one card, as lots and a ledger. Times are in milliseconds. A time such as `expiresAt` is exclusive. */
export interface PointCard {
  readonly unit: "points";
  readonly lots: readonly Lot[];
  readonly debt: number;
  readonly entries: readonly PointEntry[];
}

/** Points that were given together. The lot has the id of the entry that gave them, so a lower id is an older lot. */
export interface Lot {
  readonly id: number;
  readonly got: number;
  readonly left: number;
  readonly expired: number;
  readonly usableFrom: number;
  readonly expiresAt: number | null;
  /** Time until which points restored by a reversed spend outlast `expiresAt`. */
  readonly graceUntil: number | null;
  readonly purchase: string | null;
}

/** `points` and `debt` are what the entry changed, with their signs. `lots` add up to `points + debt`. */
export interface PointEntry {
  readonly id: number;
  readonly type: "earned" | "returned" | "added" | "removed" | "spent" | "expired" | "reversed";
  readonly points: number;
  readonly debt: number;
  readonly lots: readonly LotPart[];
  readonly purchase: string | null;
  readonly reverses: number | null;
  readonly at: number;
}

interface LotPart {
  readonly lotId: number;
  readonly points: number;
}

interface Gift {
  readonly type: "earned" | "added";
  readonly points: number;
  readonly usableFrom: number;
  readonly expiresAt: number | null;
  readonly purchase: string | null;
  readonly at: number;
}

interface PointReturn {
  readonly points: number;
  readonly purchase: string;
  /** Points of this purchase that earlier returns didn't take. */
  readonly notTaken: number;
  readonly onReturn: "debt" | "forgive";
}

export const emptyPointCard: PointCard = { unit: "points", lots: [], debt: 0, entries: [] };

const maxExpiring = 24;

/** Reads the card. Lots are expired first, so that the result is correct at any time. */
export function readPointCard(stored: PointCard, now: number) {
  const card = expireLots(stored, now);
  const usable = usableLots(card, now);
  const net = (type: PointEntry["type"]) => {
    const ids = card.entries.filter((entry) => entry.type === type).map(({ id }) => id);
    return sumPoints(
      card.entries.filter((entry) => ids.includes(entry.id) || ids.includes(entry.reverses ?? 0)),
    );
  };
  return {
    available: sumLeft(usable),
    held: 0,
    pending: sumLeft(pendingLots(card, now)),
    debt: card.debt,
    expiring: listExpiring(usable),
    earned: net("earned") + net("returned"),
    spent: 0 - net("spent"),
    expired: 0 - net("expired"),
  };
}

/** Gives points. They pay debt first, even while they are pending, and the rest becomes the lot. */
export function givePoints(stored: PointCard, gift: Gift, now: number): PointCard {
  const card = expireLots(stored, now);
  const { type, points, usableFrom, expiresAt, purchase, at } = gift;
  const paid = Math.min(card.debt, points);
  const lot = createLot(card, points - paid, { usableFrom, expiresAt, purchase });
  const given = writeEntry(
    { ...card, lots: [...card.lots, lot] },
    { type, points, debt: 0 - paid, lots: [{ lotId: lot.id, points: lot.got }], purchase, at },
  );
  return expireLots(given, now);
}

export function spendPoints(stored: PointCard, points: number, now: number): PointCard {
  const card = expireLots(stored, now);
  const lots = takeInOrder(points, usableLots(card, now));
  if (missingFrom(points, lots) > 0) return refuse("not_enough_points");
  return writeEntry(card, { type: "spent", points: -points, debt: 0, lots, at: now });
}

export function removePoints(stored: PointCard, points: number, allowsDebt: boolean, now: number): PointCard {
  const card = expireLots(stored, now);
  const lots = takeInOrder(points, allowsDebt ? payingLots(card, now) : usableLots(card, now));
  const debt = missingFrom(points, lots);
  if (debt > 0 && !allowsDebt) return refuse("not_enough_points");
  return writeEntry(card, { type: "removed", points: -points, debt, lots, at: now });
}

/**
 * Takes back points that a purchase gave, in this order: from its own lots, by excusing expired points, from other
 * lots, and as debt.
 * @returns the card, and the points that couldn't be taken.
 */
export function returnPoints(
  stored: PointCard,
  { points, purchase, notTaken, onReturn }: PointReturn,
  now: number,
): { card: PointCard; notTaken: number } {
  const card = expireLots(stored, now);
  // The newest lot goes first, so that a purchase that grew and shrank retains its first lot in full.
  const own = card.lots.filter((lot) => lot.purchase === purchase).toReversed();
  const fromOwn = takeInOrder(points, own);
  const expired = own.reduce((sum, lot) => sum + lot.expired, 0);
  const excused = Math.min(missingFrom(points, fromOwn), Math.max(0, expired - notTaken));
  const wanted = missingFrom(points, fromOwn) - excused;
  const fromUsable = takeInOrder(wanted, leaveOut(own, usableLots(card, now)));
  const owed = missingFrom(wanted, fromUsable);
  // Debt that these points had paid is owed again even if the return is forgiven. Otherwise a return would cancel it.
  const repaid = Math.max(0, findDebtPaid(card, purchase, own) + sumPoints(fromUsable));
  const due = onReturn === "debt" ? owed : Math.min(owed, repaid);
  const fromPending = takeInOrder(due, leaveOut(own, pendingLots(card, now)));
  const taken = points - excused - (owed - due);
  if (taken === 0) return { card, notTaken: points };
  const debt = missingFrom(due, fromPending);
  const lots = [...fromOwn, ...fromUsable, ...fromPending];
  const entry = { type: "returned" as const, points: -taken, debt, lots, purchase, at: now };
  return { card: writeEntry(card, entry), notTaken: points - taken };
}

/** Returns how much debt the points of a purchase paid, minus what its returns took from other lots or as debt. */
function findDebtPaid({ entries }: PointCard, purchase: string, own: readonly Lot[]): number {
  const moved = entries
    .filter((entry) => entry.purchase === purchase)
    .map(
      ({ debt, lots }) => debt - sumPoints(lots.filter(({ lotId }) => own.every(({ id }) => id !== lotId))),
    );
  return 0 - moved.reduce((sum, one) => sum + one, 0);
}

function leaveOut(own: readonly Lot[], lots: readonly Lot[]): readonly Lot[] {
  return lots.filter((lot) => !own.includes(lot));
}

/** Reverses an entry. `graceUntil` is the time until which points restored to an expired lot are usable, if at all. */
export function reverseEntry(
  stored: PointCard,
  entryId: number,
  graceUntil: number | null,
  now: number,
): PointCard {
  const card = expireLots(stored, now);
  const entry = card.entries.find(({ id }) => id === entryId) ?? refuse("resource_not_found");
  if (card.entries.some(({ reverses }) => reverses === entryId)) return refuse("already_reversed");
  if (entry.type === "added") return reverseGift(card, entry, now);
  if (entry.type !== "spent" && entry.type !== "removed") return refuse("not_reversible");
  return expireLots(reverseUse(card, entry, graceUntil, now), now);
}

/** Makes the pending points of a purchase usable now. */
export function confirmPoints(stored: PointCard, purchase: string, now: number): PointCard {
  const card = expireLots(stored, now);
  const lots = card.lots.map((lot) =>
    lot.purchase === purchase ? { ...lot, usableFrom: Math.min(lot.usableFrom, now) } : lot,
  );
  return { ...card, lots };
}

/** Expires the rest of each lot whose time is over, with one entry for each midnight. */
export function expireLots(card: PointCard, now: number): PointCard {
  const ends = card.lots.filter(({ left }) => left > 0).map(endOf);
  const passed = [...new Set(ends)].filter((end) => end <= now).sort((a, b) => a - b);
  return passed.reduce(expireLotsThatEnd, card);
}

function expireLotsThatEnd(card: PointCard, end: number): PointCard {
  const ended = card.lots.filter((lot) => lot.left > 0 && endOf(lot) === end);
  const lots = ended.map(({ id, left }) => ({ lotId: id, points: -left }));
  const marked = card.lots.map((lot) =>
    ended.includes(lot) ? { ...lot, expired: lot.expired + lot.left } : lot,
  );
  const entry = { type: "expired" as const, points: sumPoints(lots), debt: 0, lots, at: end };
  return writeEntry({ ...card, lots: marked }, entry);
}

/** Takes added points back from their own lot. Points that had paid debt are taken from other lots, or owed again. */
function reverseGift(card: PointCard, entry: PointEntry, now: number): PointCard {
  const own = card.lots.filter(({ id }) => id === entry.id);
  if (own.some(({ left, got }) => left < got)) return refuse("not_enough_points");
  const others = payingLots(card, now).filter(({ id }) => id !== entry.id);
  const lots = takeInOrder(entry.points, [...own, ...others]);
  const debt = missingFrom(entry.points, lots);
  return writeEntry(card, {
    type: "reversed",
    points: -entry.points,
    debt,
    lots,
    reverses: entry.id,
    at: now,
  });
}

/** Restores points: to debt first, then to the lots that they came from. Points taken as debt become a new lot. */
function reverseUse(card: PointCard, entry: PointEntry, graceUntil: number | null, now: number): PointCard {
  const points = -entry.points;
  const paid = Math.min(card.debt, points);
  const lot = createLot(card, Math.max(0, entry.debt - paid), {
    usableFrom: now,
    expiresAt: null,
    purchase: null,
  });
  const back = skipPoints(Math.max(0, paid - entry.debt), entry.lots);
  const lots = lot.got > 0 ? [...back, { lotId: lot.id, points: lot.got }] : back;
  const isBackLate = ({ id, expiresAt }: Lot) =>
    expiresAt !== null && expiresAt <= now && back.some(({ lotId }) => lotId === id);
  const waiting = card.lots.map((one) =>
    isBackLate(one) ? { ...one, graceUntil: findLater(one.graceUntil, graceUntil) } : one,
  );
  return writeEntry(
    { ...card, lots: lot.got > 0 ? [...waiting, lot] : waiting },
    { type: "reversed", points, debt: 0 - paid, lots, reverses: entry.id, at: now },
  );
}

function findLater(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** Skips the first points that were taken, and turns the rest into points to restore. */
function skipPoints(count: number, taken: readonly LotPart[]): readonly LotPart[] {
  const paid = takeInOrder(
    count,
    taken.map(({ lotId, points }) => ({ id: lotId, left: -points })),
  );
  const paidOf = (id: number) => sumPoints(paid.filter(({ lotId }) => lotId === id));
  return taken.map(({ lotId, points }) => ({ lotId, points: paidOf(lotId) - points }));
}

function takeInOrder(points: number, lots: readonly { id: number; left: number }[]): readonly LotPart[] {
  const parts: LotPart[] = [];
  for (const { id, left } of lots) {
    parts.push({ lotId: id, points: 0 - Math.min(left, missingFrom(points, parts)) });
  }
  return parts.filter((part) => part.points < 0);
}

/** Returns how many of the points these parts don't cover. Parts that were taken are negative. */
function missingFrom(points: number, taken: readonly LotPart[]): number {
  return points + sumPoints(taken);
}

/** Returns the lots that may be spent, in the order of spending. */
function usableLots({ lots }: PointCard, now: number): readonly Lot[] {
  return sortToSpend(lots.filter(({ usableFrom }) => usableFrom <= now));
}

function pendingLots({ lots }: PointCard, now: number): readonly Lot[] {
  return sortToSpend(lots.filter(({ usableFrom }) => usableFrom > now));
}

/** Returns the lots from which debt is paid. Pending points pay it too, but only after usable ones. */
function payingLots(card: PointCard, now: number): readonly Lot[] {
  return [...usableLots(card, now), ...pendingLots(card, now)];
}

/** Sorts lots by expiry, then by age. Lots without expiry are last. */
function sortToSpend(lots: readonly Lot[]): readonly Lot[] {
  return lots.toSorted((a, b) => (endOf(a) === endOf(b) ? a.id - b.id : endOf(a) - endOf(b)));
}

function endOf({ expiresAt, graceUntil }: Lot): number {
  return graceUntil ?? expiresAt ?? Number.POSITIVE_INFINITY;
}

function listExpiring(lots: readonly Lot[]) {
  const ending = lots.filter((lot) => lot.left > 0 && endOf(lot) < Number.POSITIVE_INFINITY);
  const ends = [...new Set(ending.map(endOf))].slice(0, maxExpiring);
  return ends.map((at) => ({ points: sumLeft(ending.filter((lot) => endOf(lot) === at)), at }));
}

function createLot(
  card: PointCard,
  got: number,
  terms: Pick<Lot, "usableFrom" | "expiresAt" | "purchase">,
): Lot {
  return { id: nextEntryId(card), got, left: 0, expired: 0, graceUntil: null, ...terms };
}

/** Appends an entry, and changes the lots and the debt accordingly. Nothing else changes them. */
function writeEntry(
  card: PointCard,
  entry: Omit<PointEntry, "id" | "purchase" | "reverses"> & Partial<PointEntry>,
): PointCard {
  const partOf = (id: number) => sumPoints(entry.lots.filter(({ lotId }) => lotId === id));
  return {
    ...card,
    debt: card.debt + entry.debt,
    lots: card.lots.map((lot) => ({ ...lot, left: lot.left + partOf(lot.id) })),
    entries: [...card.entries, { purchase: null, reverses: null, ...entry, id: nextEntryId(card) }],
  };
}

function nextEntryId({ entries }: PointCard): number {
  return entries.length + 1;
}

function sumPoints(parts: readonly { points: number }[]): number {
  return parts.reduce((sum, { points }) => sum + points, 0);
}

function sumLeft(lots: readonly Lot[]): number {
  return lots.reduce((sum, { left }) => sum + left, 0);
}
