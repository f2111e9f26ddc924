import * as z from "zod";
import { actorOf, actorQueryFields, actorSchema } from "../access/actor-schema.js";
import { text, wireTimestamp } from "../base/fields/text.js";
import { pageQuerySchema, wirePage } from "../base/page.js";
import { timestamp, timestampOrNull } from "../base/values/clock.js";
import type { StoredPass, StoredStampCard, StoredStampEntry } from "../storage/passes.js";

/** The schema for a call's stamp count, from 1 to 100. Default: 1. */
export const stampCount = z.int().min(1).max(100).default(1);
const note = text(512).nullish();

export const stampProgressSchema = z
  .object({
    templateId: z.string(),
    passId: z.string(),
    currentStamps: z.int(),
    maxStamps: z.int(),
    timesCompleted: z.int(),
  })
  .meta({ id: "StampProgress" });

export type StampProgress = z.output<typeof stampProgressSchema>;

export const stampCardSchema = z
  .object({
    object: z.literal("stamp_card"),
    walletPassId: z.string(),
    templateId: z.string(),
    currentStamps: z.int(),
    maxStamps: z.int(),
    totalStampsCollected: z.int(),
    timesCompleted: z.int(),
    rewardsAvailable: z.int(),
    lastStampAt: wireTimestamp.nullable(),
  })
  .meta({ id: "StampCard" });

/** A pass's stamp state, which always equals the sum of its ledger entries. */
export type StampCard = z.output<typeof stampCardSchema>;

export const stampReceiptSchema = stampCardSchema
  .extend({ entryId: z.string(), completions: z.int() })
  .meta({ id: "StampReceipt" });

/**
 * The result of a write: the new stamp state, the ID of the new ledger entry (needed to reverse the entry), and how many times the
 * write filled the card. This count is negative if the write undid completions.
 */
export type StampReceipt = z.output<typeof stampReceiptSchema>;

export const stampReversalSchema = stampCardSchema
  .extend({ reverses: z.string() })
  .meta({ id: "StampReversal" });

/** The data in a reversal event. `reverses` is the ID of the reversed entry. */
export type StampReversal = z.output<typeof stampReversalSchema>;

export const completedCardSchema = stampCardSchema
  .extend({ userId: z.string() })
  .meta({ id: "CompletedCard" });

/** The data in `stamp_card.completed` events: the stamp state and the card's user. */
export type CompletedCard = z.output<typeof completedCardSchema>;

export const stampEntrySchema = z
  .object({
    id: z.string(),
    object: z.literal("stamp_entry"),
    type: z.enum([
      "added",
      "removed",
      "set",
      "reset",
      "redeemed",
      "granted",
      "reversed",
      "earned",
      "returned",
    ]),
    delta: z.int(),
    stampsBefore: z.int(),
    stampsAfter: z.int(),
    completions: z.int(),
    note: z.string().nullable(),
    reverses: z.string().nullable(),
    purchase: z.object({ source: z.string(), receipt: z.string() }).nullable(),
    actor: actorSchema,
    createdAt: wireTimestamp,
  })
  .meta({ id: "StampEntry" });

/** An immutable entry in a pass's stamp ledger. An entry of type `reversed` undoes the entry whose ID is `reverses`. */
export type StampEntry = z.output<typeof stampEntrySchema>;

export const stampHistorySchema = wirePage(stampEntrySchema).meta({ id: "StampHistory" });

export const stampHistoryQuerySchema = pageQuerySchema.extend(actorQueryFields);

export type StampHistoryQuery = z.input<typeof stampHistoryQuerySchema>;

export const changeStampsSchema = z.object({ count: stampCount, note }).meta({ id: "ChangeStamps" });

export type ChangeStamps = z.input<typeof changeStampsSchema>;

/**
 * The schema for setting the number of stamps. It has no upper bound, because the actual bound, `maxStamps` − 1, depends on the
 * stored card.
 */
export const setStampsSchema = z.object({ stamps: z.int().min(0), note }).meta({ id: "SetStamps" });

export type SetStamps = z.input<typeof setStampsSchema>;

export const redeemRewardSchema = z.object({ note }).meta({ id: "RedeemReward" });

export type RedeemReward = z.input<typeof redeemRewardSchema>;

export const reverseEntrySchema = z.object({ entryId: text(), note }).meta({ id: "ReverseStampEntry" });

export type ReverseStampEntry = z.input<typeof reverseEntrySchema>;

export function stampCardOf(pass: StoredPass, card: StoredStampCard): StampCard {
  return {
    object: "stamp_card",
    walletPassId: pass.id,
    templateId: pass.templateId,
    currentStamps: card.currentStamps,
    maxStamps: card.maxStamps,
    totalStampsCollected: card.totalStampsCollected,
    timesCompleted: card.timesCompleted,
    rewardsAvailable: card.rewardsAvailable,
    lastStampAt: timestampOrNull(card.lastStampAt),
  };
}

// Lists every field instead of spreading: V8 would take microseconds to copy an object and add two fields.
export function stampReceiptOf(card: StampCard, entryId: string, completions: number): StampReceipt {
  return {
    object: card.object,
    walletPassId: card.walletPassId,
    templateId: card.templateId,
    currentStamps: card.currentStamps,
    maxStamps: card.maxStamps,
    totalStampsCollected: card.totalStampsCollected,
    timesCompleted: card.timesCompleted,
    rewardsAvailable: card.rewardsAvailable,
    lastStampAt: card.lastStampAt,
    entryId,
    completions,
  };
}

export function stampEntryOf(entry: StoredStampEntry): StampEntry {
  return {
    id: entry.id,
    object: "stamp_entry",
    type: entry.type,
    delta: entry.delta,
    stampsBefore: entry.stampsBefore,
    stampsAfter: entry.stampsAfter,
    completions: entry.completions,
    note: entry.note,
    reverses: entry.reverses,
    purchase:
      entry.source === null || entry.receipt === null
        ? null
        : { source: entry.source, receipt: entry.receipt },
    actor: actorOf(entry),
    createdAt: timestamp(entry.createdAt),
  };
}

export function stampProgressOf({ id, templateId, card }: StoredPass): StampProgress | null {
  if (card === null) return null;
  const { currentStamps, maxStamps, timesCompleted } = card;
  return { templateId, passId: id, currentStamps, maxStamps, timesCompleted };
}
