import type { StoredPass } from "../../../../src/storage/passes.js";
import {
  type PointChange,
  pointCardRecord,
  pointEntryRecord,
  pointLotRecord,
  type StoredPointCard,
  type StoredPointEntry,
  type StoredPointLot,
} from "../../../../src/storage/points.js";
import {
  purchaseEffectRecord,
  purchaseRecord,
  purchaseReturnRecord,
  type StoredPurchase,
  type StoredPurchaseEffect,
  type StoredPurchaseReturn,
} from "../../../../src/storage/purchases.js";
import {
  pastProgramRecord,
  type StoredPastProgram,
  type StoredTemplate,
} from "../../../../src/storage/templates.js";
import { sample } from "./records.js";

export function somePastProgram(
  { id: templateId }: Pick<StoredTemplate, "id">,
  fields: Partial<StoredPastProgram> = {},
): StoredPastProgram {
  return sample(pastProgramRecord, "", { templateId, version: 1, ...fields });
}

export function somePurchase(fields: Partial<StoredPurchase> = {}): StoredPurchase {
  return sample(purchaseRecord, "pur", { currency: "EUR", lines: "[]", ...fields });
}

/** Builds a purchase's effect on a pass. */
export function someEffect(
  { id: purchaseId, at }: Pick<StoredPurchase, "id" | "at">,
  { id: passId, userId, templateId }: Pick<StoredPass, "id" | "userId" | "templateId">,
  fields: Partial<StoredPurchaseEffect> = {},
): StoredPurchaseEffect {
  return sample(purchaseEffectRecord, "", {
    purchaseId,
    passId,
    userId,
    templateId,
    programVersion: 1,
    at,
    ...fields,
  });
}

export function someReturn(
  { id: purchaseId }: Pick<StoredPurchase, "id">,
  fields: Partial<StoredPurchaseReturn> = {},
): StoredPurchaseReturn {
  return sample(purchaseReturnRecord, "", { purchaseId, ...fields });
}

/**
 * Builds the next entry in a pass's ledger of points, which adds ten points, with the lot that it gives and the resulting card.
 * @param before the points of the pass, or `null` if they never changed.
 */
export function somePoints(
  passId: string,
  before: StoredPointCard | null,
  fields: { readonly entry?: Partial<StoredPointEntry>; readonly lot?: Partial<StoredPointLot> } = {},
): PointChange {
  const card = before ?? sample(pointCardRecord, "", { passId });
  const entry = sample(pointEntryRecord, "", {
    passId,
    sequence: card.entries + 1,
    type: "added",
    points: 10,
    ...fields.entry,
  });
  const { sequence, points } = entry;
  const lot = sample(pointLotRecord, "", {
    passId,
    sequence,
    points,
    remaining: points,
    ...fields.lot,
  });
  const { expiresAt } = lot;
  const { nextChangeAt } = card;
  return {
    card: {
      ...card,
      entries: sequence,
      nextChangeAt:
        expiresAt === null || nextChangeAt === null
          ? (expiresAt ?? nextChangeAt)
          : Math.min(expiresAt, nextChangeAt),
    },
    lots: [lot],
    entries: [{ ...entry, lots: JSON.stringify([[sequence, points]]), ...fields.entry }],
  };
}
