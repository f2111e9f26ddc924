import * as z from "zod";
import { instantText } from "../base/fields/instant.js";
import { limitedList } from "../base/fields/limited-list.js";
import { nameText, nonBlankText, text, wireTimestamp } from "../base/fields/text.js";
import { pageQuerySchema, wirePage } from "../base/page.js";
import { timesOf, timestamp } from "../base/values/clock.js";
import { currency, lineKinds, lineLabel } from "../cards/program-schema.js";
import { receiptText, sourceText } from "../points/schema.js";
import type { StoredPurchase, StoredPurchaseEffect } from "../storage/purchases.js";

/** The most minor units that a line can cost. */
const MAX_AMOUNT = 1_000_000_000_000;
const MAX_LINES = 500;

export const purchaseKeySchema = z.object({ source: sourceText, receipt: receiptText });

const amount = z.int().min(0).max(MAX_AMOUNT);
const quantity = z.int().min(0).max(1_000_000);
const lineId = nonBlankText(64);
const note = text(512).nullish().default(null);

const purchaseLineSchema = z
  .object({
    id: z.string(),
    sku: z.string().nullable(),
    category: z.string().nullable(),
    name: z.string().nullable(),
    kind: z.enum(lineKinds),
    quantity: z.int(),
    amount: z.int(),
    tax: z.int(),
    returned: z.object({ quantity: z.int(), amount: z.int() }),
  })
  .meta({ id: "PurchaseLine" });

/** A line of a purchase as it was bought, and how much of it came back. Amounts are in minor units. */
export type PurchaseLine = z.output<typeof purchaseLineSchema>;

const unit = z.enum(["points", "stamps"]);

const purchaseEffectSchema = z
  .object({
    walletPassId: z.string(),
    templateId: z.string(),
    unit,
    units: z.int(),
    notTaken: z.int(),
    cut: z.int(),
    because: z.enum(["currency_mismatch"]).nullable(),
  })
  .meta({ id: "PurchaseEffect" });

/** A purchase's current effect on one card. */
export type PurchaseEffect = z.output<typeof purchaseEffectSchema>;

export const purchaseSchema = z
  .object({
    id: z.string(),
    object: z.literal("purchase"),
    source: z.string(),
    receipt: z.string(),
    revision: z.int().nullable(),
    userId: z.string().nullable(),
    at: wireTimestamp,
    currency: z.string(),
    lines: z.array(purchaseLineSchema),
    total: z.int(),
    returnedTotal: z.int(),
    paidWithPoints: z.int(),
    note: z.string().nullable(),
    effects: z.array(purchaseEffectSchema),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "Purchase" });

/** A customer's purchase, identified by the receipt at its source, with its effects on the customer's cards. */
export type Purchase = z.output<typeof purchaseSchema>;

const purchaseChangeSchema = z
  .object({ walletPassId: z.string(), templateId: z.string(), unit, units: z.int(), entryId: z.string() })
  .meta({ id: "PurchaseChange" });

/** A call's change of one card. */
export type PurchaseChange = z.output<typeof purchaseChangeSchema>;

export const changedPurchaseSchema = purchaseSchema
  .extend({
    changes: z.array(purchaseChangeSchema),
    /** Present only if the change takes the purchase from this customer. An addition to the original interface. */
    previousUserId: z.string().optional(),
  })
  .meta({ id: "ChangedPurchase" });

/** The data in `purchase.recorded` and `purchase.changed` events: the purchase and what changed on cards. */
export type ChangedPurchase = z.output<typeof changedPurchaseSchema>;

export const purchaseResultSchema = purchaseSchema
  .extend({ changes: z.array(purchaseChangeSchema), isApplied: z.boolean() })
  .meta({ id: "PurchaseResult" });

/** The result of a write: the purchase, what the call changed on cards, and whether it changed anything. */
export type PurchaseResult = z.output<typeof purchaseResultSchema>;

const newLineSchema = z
  .object({
    id: lineId.optional(),
    sku: lineLabel.nullish().default(null),
    category: lineLabel.nullish().default(null),
    name: nameText(150).nullish().default(null),
    kind: z.enum(lineKinds).default("goods"),
    quantity: quantity.default(1),
    amount,
    tax: amount.default(0),
  })
  .meta({ id: "NewPurchaseLine" });

export const putPurchaseSchema = z
  .object({
    userId: text().nullish().default(null),
    walletPassId: text().nullish().default(null),
    qrCodeValue: text().nullish().default(null),
    at: instantText.optional(),
    currency,
    lines: limitedList(newLineSchema, MAX_LINES),
    paidWithPoints: z.int().min(0).default(0),
    revision: z.int().min(0).optional(),
    note,
  })
  .superRefine((purchase, context) => {
    const identifiers = [purchase.userId, purchase.walletPassId, purchase.qrCodeValue];
    if (identifiers.filter((identifier) => identifier !== null).length > 1)
      context.addIssue({
        code: "custom",
        path: ["userId"],
        message: "can't be given together with walletPassId or qrCodeValue: give at most one of them",
      });
    const ids = new Set<string>();
    for (const [index, line] of purchase.lines.entries()) {
      const { id = `${index}` } = line;
      if (ids.has(id))
        context.addIssue({
          code: "custom",
          path: ["lines", index, "id"],
          message: "must be unique in the purchase",
        });
      ids.add(id);
      if (line.tax > Math.max(0, line.amount))
        context.addIssue({
          code: "custom",
          path: ["lines", index, "tax"],
          message: "must not exceed the amount",
        });
    }
    if (purchase.paidWithPoints > Math.max(0, sumAmounts(purchase.lines)))
      context.addIssue({ code: "custom", path: ["paidWithPoints"], message: "must not exceed the total" });
  })
  .meta({ id: "PutPurchase" });

/** The state of a purchase. Lines without `id` get `"0"`, `"1"`, and so on. */
export type PutPurchase = z.input<typeof putPurchaseSchema>;

export type ParsedPurchase = z.output<typeof putPurchaseSchema>;

const returnedLineSchema = z
  .object({ id: lineId, quantity: quantity.optional(), amount: amount.optional() })
  .meta({ id: "ReturnedLine" });

/** A line that comes back, in whole or in part. Without `quantity` and `amount`, the rest of the line comes back. */
export type ReturnedLine = z.output<typeof returnedLineSchema>;

export const returnPurchaseSchema = z
  .object({
    returnId: receiptText,
    lines: limitedList(returnedLineSchema, MAX_LINES).optional(),
    all: z.literal(true).optional(),
    at: instantText.optional(),
    note,
  })
  .superRefine(({ lines, all }, context) => {
    if ((lines === undefined) === (all === undefined))
      context.addIssue({
        code: "custom",
        path: ["lines"],
        message:
          lines === undefined
            ? "is required unless you give all instead"
            : "can't be given together with all",
      });
  })
  .meta({ id: "ReturnPurchase" });

/** Goods that came back: either some `lines`, or all of them. */
export type ReturnPurchase = z.input<typeof returnPurchaseSchema>;

export type ParsedReturn = z.output<typeof returnPurchaseSchema>;

export const purchasePageSchema = wirePage(purchaseSchema).meta({ id: "PurchasePage" });

export const purchaseListQuerySchema = pageQuerySchema.extend({
  userId: text().optional(),
  walletPassId: text().optional(),
  source: sourceText.optional(),
  from: instantText.optional(),
  to: instantText.optional(),
});

export type PurchaseListQuery = z.input<typeof purchaseListQuerySchema>;

export function purchaseOf(
  purchase: StoredPurchase,
  effects: readonly StoredPurchaseEffect[],
  lines = parseLines(purchase),
): Purchase {
  return {
    id: purchase.id,
    object: "purchase",
    source: purchase.source,
    receipt: purchase.receipt,
    revision: purchase.revision,
    userId: purchase.userId,
    at: timestamp(purchase.at),
    currency: purchase.currency,
    lines: [...lines],
    total: sumAmounts(lines),
    returnedTotal: sumAmounts(lines.map(({ returned }) => returned)),
    paidWithPoints: purchase.paidWithPoints,
    note: purchase.note,
    effects: effects.filter(({ userId }) => userId === purchase.userId).map(purchaseEffectOf),
    ...timesOf(purchase),
  };
}

/** Picks the effects of one purchase from a list that covers several. */
export function pickEffects(
  { id }: StoredPurchase,
  effects: readonly StoredPurchaseEffect[],
): readonly StoredPurchaseEffect[] {
  return effects.filter(({ purchaseId }) => purchaseId === id);
}

function purchaseEffectOf(effect: StoredPurchaseEffect): PurchaseEffect {
  const { passId, templateId, unit, units, notTaken, cut, because } = effect;
  return { walletPassId: passId, templateId, unit, units, notTaken, cut, because };
}

/** Parses the lines that a purchase stores. */
export function parseLines({ lines }: Pick<StoredPurchase, "lines">): readonly PurchaseLine[] {
  return JSON.parse(lines);
}

function sumAmounts(lines: readonly { readonly amount: number }[]): number {
  return lines.reduce((sum, { amount }) => sum + amount, 0);
}
