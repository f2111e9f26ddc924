import type { Step } from "../base/concurrency/step.js";
import { dayIn, startOfDay } from "../base/values/calendar-days.js";
import { type Earning, type Program, parseProgram } from "../cards/program-schema.js";
import { applyPurchaseStamps, countReturnableStamps } from "../cards/stamps.js";
import { findTemplate } from "../kernel/find.js";
import type { Change } from "../kernel/tenant.js";
import { computeExpiry, computeUsableFrom } from "../points/dates.js";
import { openPointLedger, recordPointChange } from "../points/points.js";
import { pointEntryIdOf } from "../points/schema.js";
import { zoneOf } from "../settings/schema.js";
import type { PassHolder } from "../storage/passes.js";
import type { StoredPurchase, StoredPurchaseEffect } from "../storage/purchases.js";
import { countUnits, limitUnits } from "./earning.js";
import { readLocalTime } from "./local-time.js";
import type { PurchaseChange, PurchaseLine } from "./schema.js";

/*
 * A purchase gives each card a number of units: those that the card's program gives for the remaining lines. When the purchase
 * changes, each card is corrected by the difference.
 */

/** A purchase with its lines, which it stores as JSON. */
export interface PurchaseContent {
  readonly purchase: StoredPurchase;
  readonly lines: readonly PurchaseLine[];
}

/** A purchase's effect on a card, with the program that applied when the purchase first named the card's customer. */
export interface PurchaseCard {
  readonly effect: StoredPurchaseEffect;
  readonly program: Program;
}

/** A purchase's effects after its cards were corrected, and the changes of the cards. */
export interface Correction {
  readonly effects: readonly StoredPurchaseEffect[];
  readonly changes: readonly PurchaseChange[];
}

/**
 * Decides which cards a purchase is for when it first names a customer: each card whose template has `earning`, and only the
 * oldest card of each template. The program and what the day still allows are fixed now, so that a later return never depends on
 * other purchases.
 * @param position the position of the first new effect within the purchase.
 */
export function* createPurchaseCards(
  change: Change,
  purchase: StoredPurchase,
  user: PassHolder,
  position: number,
): Step<PurchaseCard[]> {
  const { tx, organizationId } = change;
  const cards: PurchaseCard[] = [];
  const templateIds = new Set<string>();
  for (const pass of yield* tx.passesOfUsers([user])) {
    if (pass.isPreviewPass || templateIds.has(pass.templateId)) continue;
    templateIds.add(pass.templateId);
    const template = yield* findTemplate(tx, organizationId, pass.templateId);
    const program = parseProgram(template);
    const { earning } = program;
    if (earning === null) continue;
    const effect: StoredPurchaseEffect = {
      purchaseId: purchase.id,
      passId: pass.id,
      userId: user.id,
      templateId: template.id,
      programVersion: template.programVersion,
      unit: template.type === "STAMP_CARD" ? "stamps" : "points",
      dailyAllowance: yield* readDailyAllowance(change, pass.id, earning, purchase),
      units: 0,
      notTaken: 0,
      cut: 0,
      because: null,
      position: position + cards.length,
      at: purchase.at,
    };
    cards.push({ effect, program });
  }
  return cards;
}

/** Reads the programs of the cards that a purchase already has effects on. */
export function* readPurchaseCards(
  { tx, organizationId }: Change,
  effects: readonly StoredPurchaseEffect[],
): Step<PurchaseCard[]> {
  const cards: PurchaseCard[] = [];
  for (const effect of effects) {
    const { templateId, programVersion } = effect;
    const template = yield* findTemplate(tx, organizationId, templateId);
    const isCurrent = template.programVersion === programVersion;
    const program = isCurrent ? template : yield* tx.findPastProgram(templateId, programVersion);
    if (program === null)
      throw new Error(`the template ${templateId} has no program version ${programVersion}`);
    cards.push({ effect, program: parseProgram(program) });
  }
  return cards;
}

/** Returns what the day's limit still allows: the limit less what the day's other purchases give now. */
function* readDailyAllowance(
  { tx }: Change,
  passId: string,
  { limits }: Earning,
  { at, id }: StoredPurchase,
): Step<number | null> {
  if (limits.perDay === undefined) return null;
  const timeZone = zoneOf(yield* tx.findSettings());
  const day = dayIn(timeZone, at);
  const [from, until] = [startOfDay(timeZone, day), startOfDay(timeZone, day + 1)];
  return Math.max(0, limits.perDay - (yield* tx.unitsOfPurchases(passId, from, until, id)));
}

/**
 * Corrects each card to the purchase's current effect, and stores the effects.
 * @param bookedAt the time to show in entries that take units back, in milliseconds since the Unix epoch.
 */
export function* correctCards(
  change: Change,
  content: PurchaseContent,
  cards: readonly PurchaseCard[],
  bookedAt: number,
): Step<Correction> {
  const { purchase } = content;
  const timeZone = zoneOf(yield* change.tx.findSettings());
  const effects: StoredPurchaseEffect[] = [];
  const changes: PurchaseChange[] = [];
  for (const card of cards) {
    const { effect, program } = card;
    const targetEffect = { ...effect, ...computeTargetEffect(card, content, timeZone), at: purchase.at };
    const correction = { change, purchase, program, timeZone, bookedAt, before: effect };
    const { after, units, entryId } =
      effect.unit === "stamps"
        ? yield* correctStamps(correction, targetEffect)
        : yield* correctPoints(correction, targetEffect);
    effects.push(after);
    const { passId, templateId, unit } = effect;
    if (entryId !== null) changes.push({ walletPassId: passId, templateId, unit, units, entryId });
  }
  return { effects, changes };
}

/** Returns a purchase's effect on a card: the units that the rules give for the remaining lines, within the limits. */
function computeTargetEffect(
  { effect: { userId, unit, dailyAllowance }, program: { earning } }: PurchaseCard,
  { purchase, lines }: PurchaseContent,
  timeZone: string,
): Pick<StoredPurchaseEffect, "units" | "cut" | "because"> {
  if (purchase.userId !== userId || earning === null) return { units: 0, cut: 0, because: null };
  if (purchase.currency !== earning.currency) return { units: 0, cut: 0, because: "currency_mismatch" };
  const { currency, paidWithPoints } = purchase;
  const at = readLocalTime(timeZone, purchase.at);
  const count = countUnits(earning, { currency, paidWithPoints, lines }, at);
  return { ...limitUnits(count, unit, earning.limits, dailyAllowance), because: null };
}

/** A correction of one card. */
interface CardCorrection {
  readonly change: Change;
  readonly purchase: StoredPurchase;
  readonly program: Program;
  readonly timeZone: string;
  readonly bookedAt: number;
  /** The purchase's effect before the change. */
  readonly before: StoredPurchaseEffect;
}

interface CorrectedCard {
  readonly after: StoredPurchaseEffect;
  /** Number of units that were given. Negative if units were taken back. */
  readonly units: number;
  readonly entryId: string | null;
}

/** Returns how many units to give, which is negative to take units back. What wasn't taken earlier isn't given a second time. */
function computeUnitsToGive(before: StoredPurchaseEffect, targetEffect: StoredPurchaseEffect): number {
  const growth = targetEffect.units - before.units;
  return growth <= 0 ? growth : growth - Math.min(growth, before.notTaken);
}

function* correctPoints(
  { change, purchase, program, timeZone, bookedAt, before }: CardCorrection,
  targetEffect: StoredPurchaseEffect,
): Step<CorrectedCard> {
  const { tx, tenant } = change;
  const { passId, templateId } = targetEffect;
  const pass = { id: passId, templateId };
  const unitsToGive = computeUnitsToGive(before, targetEffect);
  if (unitsToGive === 0) return yield* storeEffectOnly(change, before, targetEffect);
  const ledger = yield* openPointLedger(tenant, tx, passId);
  const { source, receipt, at, id: purchaseId } = purchase;
  if (unitsToGive > 0) {
    const { points: terms } = program;
    const isUsableNow = purchase.isConfirmed || terms === null;
    const usableFrom = isUsableNow ? ledger.now : computeUsableFrom(terms, timeZone, at);
    const expiresAt = terms === null ? null : computeExpiry(terms, timeZone, at);
    const lot = { usableFrom, expiresAt, purchaseId };
    const entry = ledger.give("earned", unitsToGive, lot, { at, source, receipt });
    yield* recordPointChange(change, pass, ledger);
    const after = {
      ...targetEffect,
      notTaken: before.notTaken - (targetEffect.units - before.units - unitsToGive),
    };
    yield* tx.putPurchaseEffect(after);
    return { after, units: entry.points, entryId: pointEntryIdOf(passId, entry.sequence) };
  }
  ledger.includeLots(yield* tx.pointLotsOfPurchase(passId, purchaseId));
  const onReturn = program.earning?.onReturn ?? "debt";
  const entries = onReturn === "debt" ? [] : yield* tx.pointEntriesOfPurchase(passId, source, receipt);
  const { entry, notTaken } = ledger.takeBack(
    { points: -unitsToGive, purchaseId, notTaken: before.notTaken, onReturn, entries },
    { at: bookedAt, source, receipt },
  );
  // Without an entry, the card still waits for the worker that notices which points have become usable.
  if (ledger.entries.length > 0) yield* recordPointChange(change, pass, ledger);
  const after = { ...targetEffect, notTaken: before.notTaken + notTaken };
  yield* tx.putPurchaseEffect(after);
  const entryId = entry === null ? null : pointEntryIdOf(passId, entry.sequence);
  return { after, units: entry?.points ?? 0, entryId };
}

function* correctStamps(
  { change, purchase: { source, receipt }, before }: CardCorrection,
  targetEffect: StoredPurchaseEffect,
): Step<CorrectedCard> {
  const { tx } = change;
  const { passId } = targetEffect;
  const unitsToGive = computeUnitsToGive(before, targetEffect);
  const visitBefore = hasUnits(before) ? before.at : null;
  if (unitsToGive === 0 && (visitBefore === null || visitBefore === targetEffect.at))
    return yield* storeEffectOnly(change, before, targetEffect);
  const returnedStamps =
    unitsToGive < 0 ? Math.min(-unitsToGive, yield* countReturnableStamps(change, passId)) : 0;
  const delta = unitsToGive < 0 ? 0 - returnedStamps : unitsToGive;
  const notTaken =
    unitsToGive < 0
      ? before.notTaken - unitsToGive - returnedStamps
      : before.notTaken - (targetEffect.units - before.units - unitsToGive);
  const after = { ...targetEffect, notTaken };
  yield* tx.putPurchaseEffect(after);
  const visitAfter = hasUnits(after) ? after.at : null;
  const entryId = yield* applyPurchaseStamps(change, passId, {
    delta,
    source,
    receipt,
    visitBefore,
    visitAfter,
  });
  return { after, units: delta, entryId };
}

/** Stores an effect that gives or takes nothing. */
function* storeEffectOnly(
  { tx }: Change,
  before: StoredPurchaseEffect,
  targetEffect: StoredPurchaseEffect,
): Step<CorrectedCard> {
  const after = { ...targetEffect, notTaken: before.notTaken - (targetEffect.units - before.units) };
  yield* tx.putPurchaseEffect(after);
  return { after, units: 0, entryId: null };
}

/** Returns whether units of a purchase are on the card, even if they should have come back. */
function hasUnits({ units, notTaken }: StoredPurchaseEffect): boolean {
  return units + notTaken > 0;
}

/** Makes the pending points that a purchase has given usable now. */
export function* confirmPoints(
  change: Change,
  { id }: StoredPurchase,
  effects: readonly StoredPurchaseEffect[],
): Step<void> {
  const { tx, tenant } = change;
  for (const { passId, templateId, unit } of effects) {
    if (unit !== "points") continue;
    const ledger = yield* openPointLedger(tenant, tx, passId);
    // Points may come back to lots that have none left now.
    ledger.includeLots(yield* tx.pointLotsOfPurchase(passId, id));
    if (ledger.confirm(id)) yield* recordPointChange(change, { id: passId, templateId }, ledger);
  }
}
