import * as z from "zod";
import { nameText, nonBlankText, wireTimestamp } from "../base/fields/text.js";
import { onAnyObject } from "../base/parse.js";
import { timesOf } from "../base/values/clock.js";
import type { StoredTemplate, TemplateType } from "../storage/templates.js";
import { designSchema, newDesignSchema } from "./design-schema.js";
import {
  earningSchema,
  findProgramErrors,
  type Program,
  parseProgram,
  pointTermsSchema,
  programFields,
} from "./program-schema.js";

const name = nameText(150);
/** The host's key for the template, which should stay the same across restarts. */
const key = nonBlankText(100);
const maxStamps = z.int().min(1).max(100);
const reward = nonBlankText(150);
const type = z.enum(["STAMP_CARD", "LOYALTY_CARD"]);

export const templateSchema = z
  .object({
    id: z.string(),
    object: z.literal("template"),
    /** The host's key for the template. */
    key: z.string().nullable(),
    name: z.string(),
    type,
    maxStamps: z.int().nullable(),
    /** A description of the reward for a full card. */
    reward: z.string().nullable(),
    design: designSchema.nullable(),
    ...programFields,
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "Template" });

/**
 * A template for issuing passes. It defines the passes' name, type, and design. For stamp cards, it also defines the number of
 * stamps and the reward.
 */
export type Template = z.output<typeof templateSchema>;

/** Rejects a stamp card without `maxStamps`, and any other card with it. */
function assertMaxStampsAllowed(
  template: { readonly type: string; readonly maxStamps: number | null },
  context: z.RefinementCtx,
): void {
  const hasMaxStamps = template.maxStamps !== null;
  if (template.type === "STAMP_CARD" && !hasMaxStamps)
    context.addIssue({ code: "custom", path: ["maxStamps"], message: "is required for a stamp card" });
  if (template.type === "LOYALTY_CARD" && hasMaxStamps)
    context.addIssue({ code: "custom", path: ["maxStamps"], message: MAX_STAMPS_NOT_ALLOWED });
}

/** Rejects a program that the template's type doesn't allow. */
function assertProgramAllowed(
  { type, ...program }: Program & { readonly type: TemplateType },
  context: z.RefinementCtx,
): void {
  for (const [path, message] of findProgramErrors(type, program))
    context.addIssue({ code: "custom", path: path.split("."), message });
}

export const createTemplateSchema = z
  .object({
    key: key.nullish().default(null),
    name,
    type,
    maxStamps: maxStamps.nullish().default(null),
    reward: reward.nullish().default(null),
    design: newDesignSchema.nullish().default(null),
    earning: earningSchema.nullish().default(null),
    points: pointTermsSchema.nullish().default(null),
  })
  .superRefine(assertMaxStampsAllowed, onAnyObject)
  .superRefine(assertProgramAllowed)
  .meta({ id: "CreateTemplate" });

/** The schema for the input of `ensure`. In the library, the key is a separate argument. */
export const ensureTemplateSchema = z
  .object({ ...createTemplateSchema.shape, key })
  .superRefine(assertMaxStampsAllowed, onAnyObject)
  .superRefine(assertProgramAllowed)
  .meta({ id: "EnsureTemplate" });

/** A stamp card needs `maxStamps`; other cards must not have it. */
type StampsOfType =
  | {
      /** Whether cards collect stamps (`STAMP_CARD`) or only identify the customer (`LOYALTY_CARD`). */
      readonly type: "STAMP_CARD";
      /** The number of stamps that fill the card; `null` if the template isn't for stamp cards. */
      readonly maxStamps: number;
    }
  | {
      readonly type: "LOYALTY_CARD";
      readonly maxStamps?: null | undefined;
    };

export type CreateTemplate = Omit<z.input<typeof createTemplateSchema>, "type" | "maxStamps"> & StampsOfType;

/** The input of `ensure` without the key, which is a separate argument. */
export type EnsureTemplate = Omit<z.input<typeof ensureTemplateSchema>, "key" | "type" | "maxStamps"> &
  StampsOfType;

/**
 * The schema for changes to a template. Only the given fields change. Existing passes keep their own `maxStamps`. Once set, a key
 * can't be changed. A design is replaced as a whole, and so are `earning` and `points`. `null` clears the field.
 */
export const updateTemplateSchema = z
  .object({
    key: key.nullable().optional(),
    name: name.optional(),
    maxStamps: maxStamps.optional(),
    reward: reward.nullable().optional(),
    design: newDesignSchema.nullable().optional(),
    earning: programFields.earning.optional(),
    points: programFields.points.optional(),
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
    ...parseProgram(template),
    ...timesOf(template),
  };
}
