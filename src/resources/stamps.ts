import { z } from "zod";
import { text } from "./fields/text.js";
import { wireTimestamp } from "./fields/timestamp.js";
import { wirePage } from "./page.js";

const count = z.int().min(1).max(100).default(1);
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

/** How far a stamp-card pass has come. */
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

/** The stamp state of a pass, which always follows from its entries. */
export type StampCard = z.output<typeof stampCardSchema>;

export const stampEntrySchema = z
  .object({
    id: z.string(),
    object: z.literal("stamp_entry"),
    type: z.enum(["added", "removed", "set", "reset", "redeemed"]),
    delta: z.int(),
    stampsBefore: z.int(),
    stampsAfter: z.int(),
    completions: z.int(),
    note: z.string().nullable(),
    createdAt: wireTimestamp,
  })
  .meta({ id: "StampEntry" });

/** An immutable line of a pass's stamp ledger. */
export type StampEntry = z.output<typeof stampEntrySchema>;

export const stampHistorySchema = wirePage(stampEntrySchema).meta({ id: "StampHistory" });

export const changeStampsSchema = z.object({ count, note }).meta({ id: "ChangeStamps" });

export type ChangeStamps = z.input<typeof changeStampsSchema>;

/** The upper bound, the card's `maxStamps` − 1, needs the stored card. */
export const setStampsSchema = z.object({ stamps: z.int().min(0), note }).meta({ id: "SetStamps" });

export type SetStamps = z.input<typeof setStampsSchema>;
