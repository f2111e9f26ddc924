import { compareTexts } from "../../../src/base/values/text.js";
import type {
  ExpiringPoints,
  LotSum,
  PointChange,
  RemainingLot,
  RemainingPoints,
  StoredPointEntry,
  StoredPointLot,
} from "../../../src/storage/points.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

export function openPointLots(rows: OrganizationRows, passId: string): StoredPointLot[] {
  return listLots(rows, passId).filter(({ remaining }) => remaining > 0);
}

export function remainingPointLots(rows: OrganizationRows, passId: string): RemainingLot[] {
  return openPointLots(rows, passId).map(({ remaining, usableFrom, expiresAt, graceUntil }) => ({
    remaining,
    usableFrom,
    expiresAt,
    graceUntil,
  }));
}

export function passesWithPoints({ pointCards }: OrganizationRows, passIds: readonly string[]): Set<string> {
  return new Set(passIds.filter((passId) => pointCards.has(passId)));
}

export function pointLotsEndingAfter(
  rows: OrganizationRows,
  passIds: readonly string[],
  time: number,
): StoredPointLot[] {
  return [...new Set(passIds)].sort(compareTexts).flatMap((passId) =>
    listLots(rows, passId).filter(({ expiresAt, graceUntil, remaining, expired }) => {
      const end = graceUntil ?? expiresAt;
      return (end === null || end > time) && (remaining > 0 || expired > 0);
    }),
  );
}

export function pointLotsAt(
  rows: OrganizationRows,
  passId: string,
  sequences: readonly number[],
): StoredPointLot[] {
  const sequenceSet = new Set(sequences);
  return listLots(rows, passId).filter(({ sequence }) => sequenceSet.has(sequence));
}

export function pointLotsOfPurchase(
  rows: OrganizationRows,
  passId: string,
  purchaseId: string,
): StoredPointLot[] {
  return listLots(rows, passId).filter((lot) => lot.purchaseId === purchaseId);
}

export function listPointEntries(
  rows: OrganizationRows,
  passId: string,
  offset: number,
  limit: number,
): StoredPointEntry[] {
  const ledger = rows.pointLedgers.get(passId) ?? [];
  const end = Math.max(0, ledger.length - offset);
  return ledger.slice(Math.max(0, end - limit), end).reverse();
}

export function pointEntriesOfPurchase(
  { pointLedgers }: OrganizationRows,
  passId: string,
  source: string,
  receipt: string,
): StoredPointEntry[] {
  return (pointLedgers.get(passId) ?? []).filter(
    (entry) =>
      entry.source === source &&
      entry.receipt === receipt &&
      (entry.type === "earned" || entry.type === "returned"),
  );
}

export function findPointEntry(
  { pointLedgers }: OrganizationRows,
  passId: string,
  sequence: number,
): StoredPointEntry | null {
  return pointLedgers.get(passId)?.find((entry) => entry.sequence === sequence) ?? null;
}

export function isPointEntryReversed(
  { pointLedgers }: OrganizationRows,
  passId: string,
  sequence: number,
): boolean {
  return (pointLedgers.get(passId) ?? []).some(({ reverses }) => reverses === sequence);
}

export function passesWithDuePoints(rows: OrganizationRows, now: number, limit: number): string[] {
  return listChangeTimes(rows)
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at - b.at || compareTexts(a.passId, b.passId))
    .slice(0, limit)
    .map(({ passId }) => passId);
}

export function organizationsWithDuePoints(store: Store, now: number, limit: number): string[] {
  return [...store.all()]
    .map(([id, rows]) => ({ id, at: Math.min(...listChangeTimes(rows).map(({ at }) => at)) }))
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at - b.at || compareTexts(a.id, b.id))
    .slice(0, limit)
    .map(({ id }) => id);
}

export function holdersOfExpiringPoints(
  rows: OrganizationRows,
  { templateId, usableAt, after, until }: ExpiringPoints,
  from: number,
  before: number,
  limit: number,
): number[] {
  const isExpiring = ({ usableFrom, expiresAt, graceUntil }: StoredPointLot) => {
    const end = graceUntil ?? expiresAt;
    return usableFrom <= usableAt && end !== null && end > Math.max(after, usableAt) && end <= until;
  };
  const hasExpiring = (passId: string) =>
    rows.passes.get(passId)?.templateId === templateId && openPointLots(rows, passId).some(isExpiring);
  return [...rows.users.values()]
    .filter(({ user: { ordinal } }) => ordinal >= from && ordinal < before)
    .filter(({ user: { id } }) => (rows.passIdsByUser.get(id) ?? []).some(hasExpiring))
    .map(({ user: { ordinal } }) => ordinal)
    .sort((a, b) => a - b)
    .slice(0, limit);
}

export function sumPoints(
  rows: OrganizationRows,
  now: number,
  afterPassId: string,
  limit: number,
): RemainingPoints {
  const passIds = [...rows.pointCards.keys()].filter((passId) => compareTexts(passId, afterPassId) > 0);
  const slice = passIds.sort(compareTexts).slice(0, limit);
  const debts = new Map<string, number>();
  const sums = new Map<string, LotSum>();
  for (const passId of slice) {
    const { templateId } = requireRow(rows.passes, passId);
    debts.set(templateId, (debts.get(templateId) ?? 0) + requireRow(rows.pointCards, passId).debt);
    for (const { expiresAt, graceUntil, usableFrom, remaining } of openPointLots(rows, passId)) {
      const endsAt = graceUntil ?? expiresAt;
      if (endsAt !== null && endsAt <= now) continue;
      const isPending = usableFrom > now;
      const key = JSON.stringify([templateId, endsAt, isPending]);
      const points = (sums.get(key)?.points ?? 0) + remaining;
      sums.set(key, { templateId, endsAt, isPending, points });
    }
  }
  return {
    lastPassId: slice.at(-1) ?? null,
    debts: [...debts]
      .map(([templateId, debt]) => ({ templateId, debt }))
      .sort((a, b) => compareTexts(a.templateId, b.templateId)),
    lots: [...sums.values()].sort(compareLotSums),
  };
}

function compareLotSums(a: LotSum, b: LotSum): number {
  const byEnd = (a.endsAt ?? Number.MAX_SAFE_INTEGER) - (b.endsAt ?? Number.MAX_SAFE_INTEGER);
  return compareTexts(a.templateId, b.templateId) || byEnd || Number(a.isPending) - Number(b.isPending);
}

export function recordPoints(
  rows: OrganizationRows,
  log: UndoLog,
  { card, lots, entries }: PointChange,
): void {
  const { passId } = card;
  requireRow(rows.passes, passId);
  log.set(rows.pointCards, passId, freezeRow(card));
  if (lots.length > 0) {
    const changed = new Map(listLots(rows, passId).map((lot) => [lot.sequence, lot]));
    for (const lot of lots) changed.set(lot.sequence, freezeRow(lot));
    const inOrder = [...changed.values()].sort((a, b) => a.sequence - b.sequence);
    log.set(rows.pointLots, passId, inOrder);
  }
  if (!rows.pointLedgers.has(passId)) log.set(rows.pointLedgers, passId, []);
  const ledger = requireRow(rows.pointLedgers, passId);
  for (const entry of entries) {
    if (entry.sequence !== ledger.length + 1) {
      throw new Error(
        `The pass's next point entry has the sequence ${ledger.length + 1}, not ${entry.sequence}.`,
      );
    }
    if (entry.reverses !== null && ledger.some(({ reverses }) => reverses === entry.reverses)) {
      throw new Error(`The entry ${entry.reverses} is already reversed.`);
    }
    log.change(
      () => ledger.push(freezeRow(entry)),
      () => ledger.pop(),
    );
  }
}

/** Removes the points of a pass. */
export function deletePoints(rows: OrganizationRows, log: UndoLog, passId: string): void {
  log.delete(rows.pointCards, passId);
  log.delete(rows.pointLots, passId);
  log.delete(rows.pointLedgers, passId);
}

function listLots({ pointLots }: OrganizationRows, passId: string): readonly StoredPointLot[] {
  return pointLots.get(passId) ?? [];
}

/** Lists when time next changes the points of each pass. */
function listChangeTimes({
  pointCards,
}: OrganizationRows): { readonly passId: string; readonly at: number }[] {
  return [...pointCards.values()].flatMap(({ passId, nextChangeAt }) =>
    nextChangeAt === null ? [] : [{ passId, at: nextChangeAt }],
  );
}
