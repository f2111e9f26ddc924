import { compareTexts } from "../../../src/base/values/text.js";
import {
  type PurchaseFilter,
  purchaseEffectRecord,
  purchaseRecord,
  type RemainingPurchase,
  type StoredPurchase,
  type StoredPurchaseEffect,
  type StoredPurchaseReturn,
} from "../../../src/storage/purchases.js";
import { updated } from "../../../src/storage/record.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, freezeRowWithLists, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function findPurchase(
  { purchases }: OrganizationRows,
  source: string,
  receipt: string,
): StoredPurchase | null {
  return purchases.get(buildKey(source, receipt)) ?? null;
}

export function listPurchases(
  { purchases, purchaseEffects }: OrganizationRows,
  { userId, passId, source, from, to }: PurchaseFilter,
  offset: number,
  limit: number,
): { items: StoredPurchase[]; total: number } {
  const matches = [...purchases.values()]
    .filter(
      (each) =>
        (userId === null || each.userId === userId) &&
        (passId === null || purchaseEffects.get(buildKey(each.id, passId))?.userId === each.userId) &&
        (source === null || each.source === source) &&
        (from === null || each.at >= from) &&
        (to === null || each.at < to),
    )
    .sort(byNewest);
  return { items: matches.slice(offset, offset + limit), total: matches.length };
}

export function purchasesBefore(
  { purchases }: OrganizationRows,
  before: PurchaseCursor | null,
  limit: number,
): StoredPurchase[] {
  return [...purchases.values()]
    .filter((each) => before === null || byNewest(before, each) < 0)
    .sort(byNewest)
    .slice(0, limit);
}

type PurchaseCursor = Pick<StoredPurchase, "at" | "id">;

function byNewest(a: PurchaseCursor, b: PurchaseCursor): number {
  return b.at - a.at || compareTexts(b.id, a.id);
}

export function remainingPurchasesOf(
  { purchases }: OrganizationRows,
  userIds: readonly string[],
  from: number,
): RemainingPurchase[] {
  const ids = new Set(userIds);
  return [...purchases.values()]
    .sort(byNewest)
    .flatMap(({ userId, at, currency, remainingAmount: amount }) =>
      userId === null || !ids.has(userId) || at < from || amount === null
        ? []
        : [{ userId, at, currency, amount }],
    );
}

export function effectsOfPurchases(
  { purchaseEffects }: OrganizationRows,
  purchaseIds: readonly string[],
): StoredPurchaseEffect[] {
  const ids = new Set(purchaseIds);
  return [...purchaseEffects.values()]
    .filter(({ purchaseId }) => ids.has(purchaseId))
    .sort(
      (a, b) =>
        a.position - b.position ||
        compareTexts(a.purchaseId, b.purchaseId) ||
        compareTexts(a.passId, b.passId),
    );
}

export function unitsOfPurchases(
  rows: OrganizationRows,
  passId: string,
  from: number,
  until: number,
  exceptPurchaseId: string,
): number {
  return listPassEffects(rows, passId)
    .filter(({ at, purchaseId }) => at >= from && at < until && purchaseId !== exceptPurchaseId)
    .reduce((sum, { units }) => sum + units, 0);
}

export function purchaseVisits(rows: OrganizationRows, passId: string, limit: number): number[] {
  return listPassEffects(rows, passId)
    .filter(({ unit, units, notTaken }) => unit === "stamps" && units + notTaken > 0)
    .map(({ at }) => at)
    .sort((a, b) => b - a)
    .slice(0, limit);
}

export function findPurchaseReturn(
  { purchaseReturns }: OrganizationRows,
  purchaseId: string,
  returnId: string,
): StoredPurchaseReturn | null {
  return purchaseReturns.get(buildKey(purchaseId, returnId)) ?? null;
}

export function returnsOfPurchase(
  { purchaseReturns }: OrganizationRows,
  purchaseId: string,
): StoredPurchaseReturn[] {
  return [...purchaseReturns.values()]
    .filter((each) => each.purchaseId === purchaseId)
    .sort((a, b) => a.createdAt - b.createdAt || compareTexts(a.returnId, b.returnId));
}

export function putPurchase({ purchases }: OrganizationRows, log: UndoLog, purchase: StoredPurchase): void {
  const key = buildKey(purchase.source, purchase.receipt);
  const previous = purchases.get(key);
  const after = previous === undefined ? purchase : updated(purchaseRecord, previous, purchase);
  log.set(purchases, key, freezeRowWithLists(after));
}

export function putPurchaseEffect(
  { passes, purchaseEffects }: OrganizationRows,
  log: UndoLog,
  effect: StoredPurchaseEffect,
): void {
  requireRow(passes, effect.passId);
  const key = buildKey(effect.purchaseId, effect.passId);
  const previous = purchaseEffects.get(key);
  const after = previous === undefined ? effect : updated(purchaseEffectRecord, previous, effect);
  log.set(purchaseEffects, key, freezeRow(after));
}

export function putPurchaseReturn(
  { purchaseReturns }: OrganizationRows,
  log: UndoLog,
  purchaseReturn: StoredPurchaseReturn,
): void {
  const { purchaseId, returnId } = purchaseReturn;
  log.set(purchaseReturns, buildKey(purchaseId, returnId), freezeRow(purchaseReturn));
}

/** Removes the effects of purchases on a pass. */
export function deletePassEffects({ purchaseEffects }: OrganizationRows, log: UndoLog, passId: string): void {
  for (const [key, effect] of [...purchaseEffects]) {
    if (effect.passId === passId) log.delete(purchaseEffects, key);
  }
}

function listPassEffects({ purchaseEffects }: OrganizationRows, passId: string): StoredPurchaseEffect[] {
  return [...purchaseEffects.values()].filter((effect) => effect.passId === passId);
}

function buildKey(owner: string, name: string): string {
  return JSON.stringify([owner, name]);
}
