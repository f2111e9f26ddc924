import * as z from "zod";
import { dayOrTime as time } from "../base/fields/instant.js";
import { text, urlCanName } from "../base/fields/text.js";
import { onAnyObject } from "../base/parse.js";
import { MAX_UNITS } from "../base/values/program-limits.js";
import { passCodeForm } from "../base/values/short-link.js";
import { importRowSchema } from "./schema.js";

const MAX_HISTORY = 1_000;
const MAX_COMPLETIONS = 1_000;

const code = z
  .string()
  .regex(passCodeForm, {
    error:
      "must be 1 to 64 characters, without spaces, slashes, backslashes, question marks, hashes or percent signs",
  })
  .refine(...urlCanName);

const historyEntry = z.object({
  type: z.enum(["added", "removed", "redeemed", "reset"]),
  count: z.int().min(1).max(100).default(1),
  at: time,
  note: text(512).nullish(),
});

export const importPassSchema = z
  .object({
    templateId: text(),
    code: code.optional(),
    createdAt: time.optional(),
    stamps: z.int().min(0).optional(),
    completions: z.int().min(0).max(MAX_COMPLETIONS).optional(),
    rewards: z.int().min(0).max(MAX_COMPLETIONS).optional(),
    lastStampAt: time.optional(),
    points: z.int().min(0).max(MAX_UNITS).optional(),
    pointsExpireAt: time.nullish(),
    history: z.array(historyEntry).max(MAX_HISTORY).optional(),
  })
  .superRefine(({ completions, rewards = 0, stamps, lastStampAt, points, history }, context) => {
    const report = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (completions !== undefined && rewards > completions)
      report("rewards", "must not be greater than completions");
    const balances = [completions, stamps, lastStampAt, points, rewards || undefined];
    if (history !== undefined && balances.some((balance) => balance !== undefined)) {
      report("history", "can't be combined with a balance");
    }
  }, onAnyObject);

export const importedPassesSchema = z.object({
  createdAt: time.optional(),
  passes: z.array(importPassSchema).max(20).default([]),
});

/** The schema for an import row with up to 20 passes. */
export const importCustomerSchema = importRowSchema.extend(importedPassesSchema.shape);

/**
 * A card from another loyalty program. Specify either its balance or its dated `history`, oldest first, from which the balance is
 * computed. The balance consists of `stamps`, `completions` (how many times the card was filled), and `rewards` that haven't been
 * redeemed. A history whose entries all have different times can be in any order. A card whose template has points begins with
 * `points`. They expire at `pointsExpireAt`, or at the end of this day in the organization's time zone. `null` means never. By
 * default, they expire like points that are earned now.
 */
export type ImportPass = z.input<typeof importPassSchema>;

const count = z.int().min(0);

/** The schema for an import's row counts by outcome. Rows counted as `failed` changed nothing. */
export const importSummarySchema = z
  .object({
    object: z.literal("import"),
    created: count,
    updated: count,
    unchanged: count,
    failed: count,
  })
  .meta({ id: "ImportSummary" });

export function summaryOf({
  created,
  updated,
  unchanged,
  failed,
}: Counts & { readonly failed: readonly unknown[] }): ImportSummary {
  return { object: "import", created, updated, unchanged, failed: failed.length };
}

export type ImportSummary = z.output<typeof importSummarySchema>;
type Counts = Pick<ImportSummary, "created" | "updated" | "unchanged">;
