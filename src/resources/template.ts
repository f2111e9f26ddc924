import * as z from "zod";
import type { StoredTemplate } from "../storage/templates.js";
import { timesOf } from "../values/clock.js";
import { designSchema, newDesignSchema } from "./design.js";
import { nameText, nonBlankText, wireTimestamp } from "./fields/text.js";
import { onAnyObject } from "./parse.js";

const name = nameText(150);
/** A template of this key is the same one at every start of the host. */
const key = nonBlankText(100);
const maxStamps = z.int().min(1).max(100);
const reward = nonBlankText(150);
const type = z.enum(["STAMP_CARD", "LOYALTY_CARD"]);

export const templateSchema = z
  .object({
    id: z.string(),
    object: z.literal("template"),
    /** The name that the host gave the template, to find it again. */
    key: z.string().nullable(),
    name: z.string(),
    type,
    maxStamps: z.int().nullable(),
    /** A full card earns this reward, in words. */
    reward: z.string().nullable(),
    design: designSchema.nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "Template" });

/** The design that passes are issued from. */
export type Template = z.output<typeof templateSchema>;

/** Refuses a stamp card without `maxStamps`, and another card with it. */
function refuseMaxStamps(
  template: { readonly type: string; readonly maxStamps: number | null },
  context: z.RefinementCtx,
): void {
  const isGiven = template.maxStamps !== null;
  if (template.type === "STAMP_CARD" && !isGiven)
    context.addIssue({ code: "custom", path: ["maxStamps"], message: "is required for a stamp card" });
  if (template.type === "LOYALTY_CARD" && isGiven)
    context.addIssue({ code: "custom", path: ["maxStamps"], message: MAX_STAMPS_NOT_ALLOWED });
}

export const createTemplateSchema = z
  .object({
    key: key.nullish().default(null),
    name,
    type,
    maxStamps: maxStamps.nullish().default(null),
    reward: reward.nullish().default(null),
    design: newDesignSchema.nullish().default(null),
  })
  .superRefine(refuseMaxStamps, onAnyObject)
  .meta({ id: "CreateTemplate" });

/** The key is an argument of its own in the library. */
export const ensureTemplateSchema = z
  .object({ ...createTemplateSchema.shape, key })
  .superRefine(refuseMaxStamps, onAnyObject)
  .meta({ id: "EnsureTemplate" });

/** A stamp card has `maxStamps`, another card none. */
type StampsOfType =
  | { readonly type: "STAMP_CARD"; readonly maxStamps: number }
  | { readonly type: "LOYALTY_CARD"; readonly maxStamps?: null | undefined };

export type CreateTemplate = Omit<z.input<typeof createTemplateSchema>, "type" | "maxStamps"> & StampsOfType;

/** The input of `ensure`, beside the key. */
export type EnsureTemplate = Omit<z.input<typeof ensureTemplateSchema>, "key" | "type" | "maxStamps"> &
  StampsOfType;

/** Only sent fields change. Passes made before keep their own `maxStamps`. A key that is set stays. A design is replaced whole; `null` clears it, and the reward. */
export const updateTemplateSchema = z
  .object({
    key: key.nullable().optional(),
    name: name.optional(),
    maxStamps: maxStamps.optional(),
    reward: reward.nullable().optional(),
    design: newDesignSchema.nullable().optional(),
  })
  .meta({ id: "UpdateTemplate" });

export type UpdateTemplate = z.input<typeof updateTemplateSchema>;

export const MAX_STAMPS_NOT_ALLOWED = "is only allowed for a stamp card";

export function templateOf(template: StoredTemplate): Template {
  return {
    id: template.id,
    object: "template",
    key: template.key,
    name: template.name,
    type: template.type,
    maxStamps: template.maxStamps,
    reward: template.reward,
    design: template.design === null ? null : JSON.parse(template.design),
    ...timesOf(template),
  };
}
