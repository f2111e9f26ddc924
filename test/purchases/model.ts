import { isDeepStrictEqual } from "node:util";
import { dayIn } from "../../src/base/values/calendar-days.js";
import { findEnd, findEndOfGrace, findFirstUse, type PointTerms, readLocalTime } from "./calendar.js";
import { type Basket, countUnits, type Earning, type Line, remainingOf } from "./earning.js";
import * as points from "./point-card.js";
import { refuse } from "./refuse.js";
import * as stamps from "./stamp-card.js";

/*
 * A model of purchases and points in plain arrays, according to their contract. It isn't fast, and it mutates nothing:
 * each function returns a new shop. Calls that the service refuses throw a RefusedError, and leave the old shop as it
 * was.
 */

export interface Shop {
  readonly timeZone: string;
  /** The newest version of each template's program. */
  readonly programs: Readonly<Record<string, Program>>;
  /** Oldest first. */
  readonly cards: readonly Card[];
  readonly purchases: readonly Purchase[];
  /** Customers who were erased or deleted. */
  readonly erased: readonly string[];
}

export interface Program {
  readonly earning: Earning | null;
  readonly points: PointTerms | null;
}

export interface Card {
  readonly id: string;
  readonly customer: string;
  readonly templateId: string;
  readonly state: points.PointCard | stamps.StampCard;
}

export interface Purchase extends Basket {
  /** Source and receipt. */
  readonly key: string;
  readonly revision: number | null;
  readonly customer: string | null;
  readonly at: number;
  readonly note: string | null;
  readonly returns: readonly ReturnRequest[];
  readonly isConfirmed: boolean;
  /** Its customer was erased, so it never changes again. */
  readonly isErased: boolean;
  /** Each customer that the purchase ever named. */
  readonly customers: readonly string[];
  readonly effects: readonly Effect[];
}

/** The result of a purchase on a card. The terms are the ones that applied when it first named the card's customer. */
export interface Effect {
  readonly cardId: string;
  readonly customer: string;
  readonly earning: Earning;
  readonly terms: PointTerms;
  readonly dailyAllowance: number;
  readonly units: number;
  /**
   * Units that should have been taken back but were missing or had expired. Later growth is set off against them first.
   */
  readonly notTaken: number;
  readonly cut: bigint;
  readonly because: "currency_mismatch" | null;
}

/** A purchase as a host sends it. */
export interface PurchaseInput {
  readonly key: string;
  readonly revision?: number;
  readonly customer?: string | null;
  readonly at?: number;
  readonly currency: string;
  readonly lines: readonly LineInput[];
  readonly paidWithPoints?: number;
  readonly note?: string | null;
}

export type LineInput = Pick<Line, "amount"> & Partial<Omit<Line, "returned">>;

export type ReturnRequest =
  | { readonly returnId: string; readonly all: true }
  | { readonly returnId: string; readonly lines: readonly ReturnedLine[] };

interface ReturnedLine {
  readonly id: string;
  readonly quantity?: number;
  readonly amount?: number;
}

export interface Outcome {
  readonly shop: Shop;
  readonly purchase: Purchase;
  readonly isApplied: boolean;
  readonly changes: readonly Change[];
}

export interface Change {
  readonly cardId: string;
  readonly units: number;
  readonly entryId: number;
}

interface MovedUnits {
  readonly state: Card["state"];
  readonly notTaken: number;
}

/** Maximum units for a purchase and card. More units are cut. */
const maxUnits = { points: 1_000_000_000, stamps: 10_000 };

/** Maximum time that a purchase may be ahead of the clock. */
const maxAheadMs = 5 * 60_000;

/** Records a purchase or replaces it, and corrects the cards by the difference. */
export function putPurchase(shop: Shop, input: PurchaseInput, now: number): Outcome {
  const total = input.lines.reduce((sum, { amount }) => sum + amount, 0);
  if ((input.paidWithPoints ?? 0) > total) return refuse("paid_above_total");
  const stored = shop.purchases.find(({ key }) => key === input.key);
  if (stored?.isErased) return changeNothing(shop, stored);
  if (stored === undefined)
    return correctCards(shop, replaceContent(shop, emptyPurchase(input.key, now), input, now), now);
  const { revision } = stored;
  if (revision !== null && input.revision === undefined) return refuse("revision_required");
  if (revision !== null && input.revision !== undefined && input.revision < revision)
    return changeNothing(shop, stored);
  const next = replaceContent(shop, stored, input, now);
  if (isDeepStrictEqual({ ...next, revision }, stored)) return changeNothing(storePurchase(shop, next), next);
  return revision !== null && next.revision === revision
    ? refuse("purchase_conflict")
    : correctCards(shop, next, now);
}

/** Returns lines of a purchase. Repeating the same return changes nothing. */
export function returnLines(shop: Shop, key: string, request: ReturnRequest, now: number): Outcome {
  const stored = findPurchase(shop, key);
  if (stored.isErased) return changeNothing(shop, stored);
  const known = stored.returns.find(({ returnId }) => returnId === request.returnId);
  if (known !== undefined)
    return isDeepStrictEqual(known, request) ? changeNothing(shop, stored) : refuse("return_conflict");
  const lines = "all" in request ? stored.lines.map(returnRest) : returnSome(stored.lines, request.lines);
  const next = { ...stored, lines, returns: [...stored.returns, request] };
  return isDeepStrictEqual(lines, stored.lines)
    ? changeNothing(storePurchase(shop, next), next)
    : correctCards(shop, next, now);
}

/** Makes the pending points of a purchase usable now, and its later points usable immediately. */
export function confirmPurchase(shop: Shop, key: string, now: number): Outcome {
  const stored = findPurchase(shop, key);
  if (stored.isErased || stored.isConfirmed) return changeNothing(shop, stored);
  const purchase = { ...stored, isConfirmed: true };
  const cardIds = purchase.effects.map(({ cardId }) => cardId);
  const cards = shop.cards.map((card) =>
    card.state.unit === "points" && cardIds.includes(card.id)
      ? { ...card, state: points.confirmPoints(card.state, key, now) }
      : card,
  );
  return { shop: storePurchase({ ...shop, cards }, purchase), purchase, isApplied: true, changes: [] };
}

/** Adds points by hand. By default, they last as long as points of a purchase made now. */
export function addPoints(
  shop: Shop,
  cardId: string,
  gift: { points: number; expiresAt?: number | null },
  now: number,
): Shop {
  return changePoints(shop, cardId, (card, terms) => {
    const expiresAt = gift.expiresAt === undefined ? findEnd(terms, shop.timeZone, now) : gift.expiresAt;
    const given = { type: "added" as const, usableFrom: now, expiresAt, purchase: null, at: now };
    return points.givePoints(card, { ...given, points: gift.points }, now);
  });
}

export function removePoints(
  shop: Shop,
  cardId: string,
  removal: { points: number; allowsDebt?: boolean },
  now: number,
): Shop {
  const { allowsDebt = false } = removal;
  return changePoints(shop, cardId, (card) => points.removePoints(card, removal.points, allowsDebt, now));
}

export function spendPoints(shop: Shop, cardId: string, count: number, now: number): Shop {
  return changePoints(shop, cardId, (card) => points.spendPoints(card, count, now));
}

export function reverseEntry(shop: Shop, cardId: string, entryId: number, now: number): Shop {
  return changePoints(shop, cardId, (card, terms) =>
    points.reverseEntry(card, entryId, findEndOfGrace(terms, shop.timeZone, now), now),
  );
}

export function redeemReward(shop: Shop, cardId: string): Shop {
  return changeStamps(shop, cardId, stamps.redeemReward);
}

export function addStamps(shop: Shop, cardId: string, count: number, now: number): Shop {
  return changeStamps(shop, cardId, (card) => stamps.addStamps(card, count, now));
}

export function removeStamps(shop: Shop, cardId: string, count: number): Shop {
  return changeStamps(shop, cardId, (card) => stamps.removeStamps(card, count));
}

/** Returns the times of a stamp card's visits, newest first. A purchase counts while it has stamps on the card. */
export function listVisits(shop: Shop, { id, state }: Card): readonly number[] {
  const ofPurchases = shop.purchases
    .filter(({ effects }) => effects.some((one) => one.cardId === id && one.units + one.notTaken > 0))
    .map(({ at }) => at);
  const byHand = state.unit === "stamps" ? state.visits : [];
  return [...byHand, ...ofPurchases].sort((one, other) => other - one);
}

export function readPoints(shop: Shop, cardId: string, now: number) {
  return points.readPointCard(findPointCard(shop, cardId), now);
}

/** Changes a template's program from now on. Purchases retain their version. */
export function changeProgram(shop: Shop, templateId: string, program: Program): Shop {
  return { ...shop, programs: { ...shop.programs, [templateId]: program } };
}

/** Issues a card, which becomes the newest one. Purchases that named the customer before give it nothing. */
export function issueCard(shop: Shop, card: Card): Shop {
  return { ...shop, cards: [...shop.cards, card] };
}

/** Revokes a card, and removes its effects from all purchases. */
export function revokeCard(shop: Shop, cardId: string): Shop {
  const purchases = shop.purchases.map((purchase) => ({
    ...purchase,
    effects: purchase.effects.filter((effect) => effect.cardId !== cardId),
  }));
  return { ...shop, cards: shop.cards.filter(({ id }) => id !== cardId), purchases };
}

/** Erases a customer. Purchases stay with their amounts, and never change again. */
export function eraseCustomer(shop: Shop, customer: string): Shop {
  const owned = shop.cards.filter((card) => card.customer === customer);
  const { cards, purchases } = owned.reduce((rest, { id }) => revokeCard(rest, id), shop);
  const erased = { customer: null, note: null, isErased: true };
  return {
    ...shop,
    cards,
    erased: [...shop.erased, customer],
    purchases: purchases.map((one) => (one.customer === customer ? { ...one, ...erased } : one)),
  };
}

/** Returns the purchase with the content that a host put. Omitted fields stay, or get their defaults. */
function replaceContent({ erased }: Shop, stored: Purchase, input: PurchaseInput, now: number): Purchase {
  const { revision = stored.revision, customer = null, at = stored.at, currency, note = null } = input;
  const { paidWithPoints = 0 } = input;
  if (customer !== null && erased.includes(customer)) return refuse("resource_not_found");
  if (at > now + maxAheadMs) return refuse("at_in_future");
  const lines = input.lines.map((line, index) => fillLine(line, `${index}`, stored.lines));
  const isMissing = (line: Line) => lines.every(({ id }) => id !== line.id);
  if (stored.lines.some((line) => isReturned(line) && isMissing(line)))
    return refuse("returned_line_missing");
  return { ...stored, revision, customer, at, currency, note, paidWithPoints, lines };
}

function fillLine(input: LineInput, index: string, stored: readonly Line[]): Line {
  const { id = index, sku = null, category = null, kind = "goods", quantity = 1, amount, tax = 0 } = input;
  const returned = stored.find((line) => line.id === id)?.returned ?? { quantity: 0, amount: 0 };
  return assertBought({ id, sku, category, kind, quantity, amount, tax, returned });
}

function returnSome(lines: readonly Line[], returned: readonly ReturnedLine[]): readonly Line[] {
  if (returned.some(({ id }) => lines.every((line) => line.id !== id))) return refuse("unknown_line");
  return lines.map((line) => returned.filter(({ id }) => id === line.id).reduce(returnLine, line));
}

function returnRest(line: Line): Line {
  return { ...line, returned: { quantity: line.quantity, amount: line.amount } };
}

/**
 * Returns a part of a line. An amount without a quantity returns no pieces. Without either, all of the rest is
 * returned.
 */
function returnLine(line: Line, { quantity, amount }: ReturnedLine): Line {
  if (quantity === undefined && amount === undefined) return returnRest(line);
  const pieces = quantity ?? 0;
  const returned = {
    quantity: line.returned.quantity + pieces,
    amount: line.returned.amount + (amount ?? findAmountOf(line, pieces)),
  };
  return assertBought({ ...line, returned });
}

/** Returns the amount of some pieces, rounded down. The last pieces get the rest of the amount. */
function findAmountOf(line: Line, pieces: number): number {
  const remaining = remainingOf(line);
  if (pieces >= remaining.quantity) return remaining.amount;
  const proRata = (BigInt(line.amount) * BigInt(pieces)) / BigInt(line.quantity);
  return Math.min(Number(proRata), remaining.amount);
}

function assertBought(line: Line): Line {
  const { quantity, amount } = remainingOf(line);
  return quantity < 0 || amount < 0 ? refuse("more_than_bought") : line;
}

function isReturned({ returned }: Line): boolean {
  return returned.quantity > 0 || returned.amount > 0;
}

/** Corrects each card that the purchase affects to its current units, and stores the purchase. */
function correctCards(shop: Shop, content: Purchase, now: number): Outcome {
  const purchase = nameCustomer(shop, content);
  return purchase.effects.reduce<Outcome>((outcome, effect) => correctCard(outcome, effect, now), {
    shop: storePurchase(shop, purchase),
    purchase,
    isApplied: true,
    changes: [],
  });
}

function correctCard({ shop, purchase, changes }: Outcome, effect: Effect, now: number): Outcome {
  const before = findCard(shop, effect.cardId).state;
  const goal = computeGoal(effect, purchase, shop.timeZone, maxUnits[before.unit]);
  const { state, notTaken } = moveUnits(shop, purchase, effect, goal.units, now);
  const corrected = { ...effect, ...goal, notTaken };
  const effects = purchase.effects.map((one) => (one === effect ? corrected : one));
  const next = { ...purchase, effects };
  return {
    shop: storePurchase(storeState(shop, effect.cardId, state), next),
    purchase: next,
    isApplied: true,
    changes: [...changes, ...listChanges(effect.cardId, before, state)],
  };
}

/** Fixes the cards and their terms when a purchase names a customer for the first time. */
function nameCustomer(shop: Shop, purchase: Purchase): Purchase {
  const { customer, customers, effects } = purchase;
  if (customer === null || customers.includes(customer)) return purchase;
  const cards = shop.cards.filter((card) => card.customer === customer);
  const oldest = cards.filter((card, index) =>
    cards.slice(0, index).every(({ templateId }) => templateId !== card.templateId),
  );
  const added = oldest.flatMap((card) => createEffects(shop, card, purchase));
  return { ...purchase, customers: [...customers, customer], effects: [...effects, ...added] };
}

/** Returns the effect of the purchase on a card, or none if the card's template has no earning. */
function createEffects(shop: Shop, card: Card, purchase: Purchase): readonly Effect[] {
  const { earning = null, points: terms = null } = shop.programs[card.templateId] ?? {};
  if (earning === null) return [];
  const dailyAllowance = findDailyAllowance(shop, card.id, earning, purchase);
  const nothing = { units: 0, notTaken: 0, cut: 0n, because: null };
  const { id: cardId, customer } = card;
  return [{ cardId, customer, earning, terms: terms ?? {}, dailyAllowance, ...nothing }];
}

/** Returns what the day's limit still allows: the limit minus what the day's other purchases give now. */
function findDailyAllowance(shop: Shop, cardId: string, { limits }: Earning, purchase: Purchase): number {
  const dayOf = ({ at }: Purchase) => dayIn(shop.timeZone, at);
  const given = shop.purchases
    .filter((other) => dayOf(other) === dayOf(purchase))
    .flatMap(({ effects }) => effects.filter((effect) => effect.cardId === cardId))
    .reduce((sum, { units }) => sum + units, 0);
  return limits?.perDay === undefined ? maxUnits.points : Math.max(0, limits.perDay - given);
}

/** Returns the units of the purchase for a card: what its rules give for the remaining lines, within the limits. */
function computeGoal(
  { earning, customer, dailyAllowance }: Effect,
  purchase: Purchase,
  timeZone: string,
  most: number,
) {
  if (purchase.customer !== customer) return { units: 0, cut: 0n, because: null };
  const counted = countUnits(earning, purchase, readLocalTime(timeZone, purchase.at));
  const limit = Math.min(earning.limits?.perPurchase ?? most, dailyAllowance, most);
  const units = counted < limit ? Number(counted) : limit;
  const because = purchase.currency === earning.currency ? null : ("currency_mismatch" as const);
  return { units, cut: counted - BigInt(units), because };
}

/** Gives or takes the difference to the previous units. Units that weren't taken earlier aren't given a second time. */
function moveUnits(shop: Shop, purchase: Purchase, effect: Effect, units: number, now: number): MovedUnits {
  const { state } = findCard(shop, effect.cardId);
  const growth = units - effect.units;
  if (growth < 0) return takeUnits(state, -growth, effect, purchase.key, now);
  const missing = growth - Math.min(growth, effect.notTaken);
  return {
    state: missing === 0 ? state : giveUnits(state, missing, effect, purchase, shop.timeZone, now),
    notTaken: effect.notTaken - (growth - missing),
  };
}

function giveUnits(
  state: Card["state"],
  units: number,
  { terms }: Effect,
  { key: purchase, at, isConfirmed }: Purchase,
  timeZone: string,
  now: number,
): Card["state"] {
  if (state.unit === "stamps") return stamps.earnStamps(state, units);
  const usableFrom = isConfirmed ? now : findFirstUse(terms, timeZone, at);
  const expiresAt = findEnd(terms, timeZone, at);
  return points.givePoints(
    state,
    { type: "earned", points: units, usableFrom, expiresAt, purchase, at },
    now,
  );
}

function takeUnits(
  state: Card["state"],
  units: number,
  { notTaken, earning: { onReturn = "debt" } }: Effect,
  purchase: string,
  now: number,
): MovedUnits {
  const taken =
    state.unit === "stamps"
      ? stamps.returnStamps(state, units)
      : points.returnPoints(state, { points: units, purchase, notTaken, onReturn }, now);
  return { state: taken.card, notTaken: notTaken + taken.notTaken };
}

/** Returns the entries that a correction wrote, without expiries before it. */
function listChanges(cardId: string, before: Card["state"], after: Card["state"]): readonly Change[] {
  const count = before.entries.length;
  return after.entries.slice(count).flatMap((entry) => {
    if (entry.type !== "earned" && entry.type !== "returned") return [];
    return [{ cardId, units: "points" in entry ? entry.points : entry.delta, entryId: entry.id }];
  });
}

function emptyPurchase(key: string, now: number): Purchase {
  const content = { customer: null, at: now, currency: "", note: null, lines: [], paidWithPoints: 0 };
  const state = { returns: [], isConfirmed: false, isErased: false, customers: [], effects: [] };
  return { key, revision: null, ...content, ...state };
}

function changeNothing(shop: Shop, purchase: Purchase): Outcome {
  return { shop, purchase, isApplied: false, changes: [] };
}

function changeStamps(
  shop: Shop,
  cardId: string,
  change: (card: stamps.StampCard) => stamps.StampCard,
): Shop {
  const { state } = findCard(shop, cardId);
  return state.unit === "stamps" ? storeState(shop, cardId, change(state)) : refuse("not_a_stamp_card");
}

function changePoints(
  shop: Shop,
  cardId: string,
  change: (card: points.PointCard, terms: PointTerms) => points.PointCard,
): Shop {
  const { templateId } = findCard(shop, cardId);
  const terms = shop.programs[templateId]?.points ?? {};
  return storeState(shop, cardId, change(findPointCard(shop, cardId), terms));
}

function findPointCard(shop: Shop, cardId: string): points.PointCard {
  const { state, templateId } = findCard(shop, cardId);
  if (state.unit !== "points") return refuse("not_a_point_card");
  const hasPoints = (shop.programs[templateId]?.points ?? null) !== null || state.entries.length > 0;
  return hasPoints ? state : refuse("not_a_point_card");
}

export function findCard(shop: Shop, cardId: string): Card {
  return shop.cards.find(({ id }) => id === cardId) ?? refuse("resource_not_found");
}

export function findPurchase(shop: Shop, key: string): Purchase {
  return shop.purchases.find((purchase) => purchase.key === key) ?? refuse("resource_not_found");
}

function storeState(shop: Shop, cardId: string, state: Card["state"]): Shop {
  return { ...shop, cards: shop.cards.map((card) => (card.id === cardId ? { ...card, state } : card)) };
}

function storePurchase(shop: Shop, purchase: Purchase): Shop {
  const isStored = shop.purchases.some(({ key }) => key === purchase.key);
  return {
    ...shop,
    purchases: isStored
      ? shop.purchases.map((one) => (one.key === purchase.key ? purchase : one))
      : [...shop.purchases, purchase],
  };
}
