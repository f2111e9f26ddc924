import { z } from "zod";
import { isLongerThan, isStorable } from "../../values/text.js";

/** A text that storage can keep to the letter. With a maximum, in code points after NFC (at most 4 times before). */
export function text(max?: number) {
  return storable(z.string(), max);
}

/** A {@link text} that says something: not empty, not only white space. */
export function filledText(max: number) {
  return filled(text(max), max);
}

/** A display name: trimmed, and not blank after that. */
export function nameText(max: number) {
  return filled(storable(z.string().trim(), max), max);
}

function storable(schema: z.ZodString, max: number | undefined) {
  const checked = schema.superRefine((value, context) => {
    if (!isStorable(value)) complain(context, "must not contain NUL or lone surrogates");
    else if (max !== undefined && isLongerThan(value, max))
      complain(context, `must be at most ${max} characters`);
  });
  return max === undefined ? checked : checked.meta({ maxLength: max });
}

function filled(schema: z.ZodString, max: number) {
  return schema
    .refine((value) => value.trim() !== "", { error: "must not be blank" })
    .meta({ minLength: 1, maxLength: max });
}

function complain(context: z.RefinementCtx, message: string): void {
  context.addIssue({ code: "custom", message });
}
