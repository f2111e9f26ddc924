import * as z from "zod";
import { actorOf, actorSchema } from "../access/actor-schema.js";
import { instantText } from "../base/fields/instant.js";
import { text, urlCanName, wireTimestamp } from "../base/fields/text.js";
import { pageQuerySchema, wirePage } from "../base/page.js";
import { timestamp, timestampOrNull } from "../base/values/clock.js";
import { MAX_UNITS } from "../base/values/program-limits.js";
import type { StoredPass } from "../storage/passes.js";
import { pointEntryTypes, type StoredPointCard, type StoredPointEntry } from "../storage/points.js";

/** The most times at which points expire that a card lists. */
const MAX_EXPIRING_TIMES = 24;

export const pointCardSchema = z
  .object({
    object: z.literal("point_card"),
    walletPassId: z.string(),
    templateId: z.string(),
    available: z.int(),
    held: z.int(),
    pending: z.int(),
    debt: z.int(),
    expiring: z.array(z.object({ points: z.int(), at: wireTimestamp })),
    earned: z.int(),
    spent: z.int(),
    expired: z.int(),
    lastEarnedAt: wireTimestamp.nullable(),
  })
  .meta({ id: "PointCard" });

/** A pass's points at the time of the call. `available + held + pending − debt` is the sum of its entries. */
export type PointCard = z.output<typeof pointCardSchema>;

export const pointReceiptSchema = pointCardSchema
  .extend({ entryId: z.string() })
  .meta({ id: "PointReceipt" });

/** The result of a write: the new points, and the ID of the new entry, which is needed to reverse it. */
export type PointReceipt = z.output<typeof pointReceiptSchema>;

/** The schema for the till or shop that recorded a purchase. */
export const sourceText = text(50)
  .regex(/^[a-z0-9._-]+$/, { error: "must be 1 to 50 of the characters a-z, 0-9, ., _, and -" })
  .refine(...urlCanName);

/** The schema for the number of a receipt at its source. */
export const receiptText = text(255)
  .refine((receipt) => receipt !== "", { error: "must not be empty" })
  .refine(...urlCanName)
  .meta({ minLength: 1, maxLength: 255 });

const purchaseReferenceSchema = z
  .object({ source: sourceText, receipt: receiptText })
  .meta({ id: "PurchaseReference" });

/** The source and the receipt that identify a purchase. */
export type PurchaseReference = z.output<typeof purchaseReferenceSchema>;

export const pointEntrySchema = z
  .object({
    id: z.string(),
    object: z.literal("point_entry"),
    type: z.enum(pointEntryTypes),
    points: z.int(),
    debt: z.int(),
    lots: z.array(z.object({ lotId: z.string(), points: z.int() })),
    usableFrom: wireTimestamp.nullable(),
    expiresAt: wireTimestamp.nullable(),
    purchase: z.object({ source: z.string(), receipt: z.string() }).nullable(),
    reverses: z.string().nullable(),
    note: z.string().nullable(),
    actor: actorSchema,
    at: wireTimestamp,
    createdAt: wireTimestamp,
  })
  .meta({ id: "PointEntry" });

/** An immutable entry in a pass's point ledger. An entry of type `reversed` undoes the entry whose ID is `reverses`. */
export type PointEntry = z.output<typeof pointEntrySchema>;

export const pointChangeSchema = z
  .object({ pointCard: pointCardSchema, entry: pointEntrySchema })
  .meta({ id: "PointChange" });

/** The data in `points.…` events: a pass's points after a change, and the entry that changed them. */
export type PointChangeData = z.output<typeof pointChangeSchema>;

export const pointHistorySchema = wirePage(pointEntrySchema).meta({ id: "PointHistory" });

export const pointHistoryQuerySchema = pageQuerySchema;

export type PointHistoryQuery = z.input<typeof pointHistoryQuerySchema>;

/** The schema for a number of points that a write adds or takes. */
export const pointCount = z.int().min(1).max(MAX_UNITS);
const note = text(512).nullish().default(null);

export const addPointsSchema = z
  .object({ points: pointCount, note, expiresAt: instantText.nullish() })
  .meta({ id: "AddPoints" });

export type AddPoints = z.input<typeof addPointsSchema>;

export const removePointsSchema = z
  .object({ points: pointCount, note, allowsDebt: z.boolean().default(false) })
  .meta({ id: "RemovePoints" });

export type RemovePoints = z.input<typeof removePointsSchema>;

export const spendPointsSchema = z
  .object({ points: pointCount, note, purchase: purchaseReferenceSchema.nullish().default(null) })
  .meta({ id: "SpendPoints" });

export type SpendPoints = z.input<typeof spendPointsSchema>;

export const reversePointEntrySchema = z.object({ entryId: text(), note }).meta({ id: "ReversePointEntry" });

export type ReversePointEntry = z.input<typeof reversePointEntrySchema>;

/** A number of points that a lot got, or lost if it is negative. */
export interface LotPart {
  /** The lot's `sequence`. */
  readonly lot: number;
  readonly points: number;
}

/** Returns the ID of a pass's entry, and of the lot that it gives. It needs no storage, because it follows from the pass. */
export function pointEntryIdOf(passId: string, sequence: number): string {
  return `pte_${passId.replace(/^wp_/, "")}_${sequence}`;
}

/** Returns the sequence of a pass's entry, or `null` if the pass can't have an entry with this ID. */
export function parsePointEntryId(passId: string, entryId: string): number | null {
  const sequence = Number(/_([1-9]\d*)$/.exec(entryId)?.[1]);
  return Number.isSafeInteger(sequence) && pointEntryIdOf(passId, sequence) === entryId ? sequence : null;
}

/** The result of adding up a card's lots at a point in time. */
export interface PointBalance {
  readonly available: number;
  readonly pending: number;
  /** The usable points that expire, by the time at which they do, soonest first. */
  readonly expiring: readonly TimedPoints[];
  /** The pending points, by the time at which they become usable, soonest first. */
  readonly upcoming: readonly TimedPoints[];
}

/** Points that expire or become usable at the same time. */
export interface TimedPoints {
  readonly points: number;
  /** The time, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** The IDs of a pass and of its template. */
export type PassIds = Pick<StoredPass, "id" | "templateId">;

export function pointCardOf(
  { id, templateId }: PassIds,
  { debt, earned, spent, expired, lastEarnedAt }: StoredPointCard,
  { available, pending, expiring }: PointBalance,
): PointCard {
  return {
    object: "point_card",
    walletPassId: id,
    templateId,
    available,
    held: 0,
    pending,
    debt,
    expiring: expiring.slice(0, MAX_EXPIRING_TIMES).map(({ points, at }) => ({ points, at: timestamp(at) })),
    earned,
    spent,
    expired,
    lastEarnedAt: timestampOrNull(lastEarnedAt),
  };
}

export function pointEntryOf(entry: StoredPointEntry): PointEntry {
  const { passId, source, receipt, reverses } = entry;
  return {
    id: pointEntryIdOf(passId, entry.sequence),
    object: "point_entry",
    type: entry.type,
    points: entry.points,
    debt: entry.debt,
    lots: parseLotParts(entry).map(({ lot, points }) => ({ lotId: pointEntryIdOf(passId, lot), points })),
    usableFrom: timestampOrNull(entry.usableFrom),
    expiresAt: timestampOrNull(entry.expiresAt),
    purchase: source === null || receipt === null ? null : { source, receipt },
    reverses: reverses === null ? null : pointEntryIdOf(passId, reverses),
    note: entry.note,
    actor: actorOf(entry),
    at: timestamp(entry.at),
    createdAt: timestamp(entry.createdAt),
  };
}

/** Parses the lots that an entry stores. */
export function parseLotParts({ lots }: Pick<StoredPointEntry, "lots">): readonly LotPart[] {
  const parts: readonly (readonly [lot: number, points: number])[] = JSON.parse(lots);
  return parts.map(([lot, points]) => ({ lot, points }));
}
