import * as z from "zod";
import { MAX_REPORTED_FIELDS } from "../parse.js";

/**
 * Builds the schema for an array of `min` to `max` items. Because a hostile array can have hundreds of thousands of invalid items, the
 * length is checked first, and validation stops after a hundred invalid items.
 */
export function limitedList<T extends z.ZodType>(item: T, max: number, min = 1) {
  // The JSON schema describes the items even though the array schema doesn't validate them itself.
  const { $schema: _, ...items } = z.toJSONSchema(item, {
    io: "input",
    unrepresentable: "any",
    // Code generators treat a field with a default as required.
    override: ({ jsonSchema }) => {
      delete jsonSchema.default;
    },
  });
  return z
    .array(z.custom<z.input<T>>())
    .min(min)
    .max(max)
    .meta({ items })
    .transform((inputs) => {
      // A short list can't have too many invalid items, so its items are validated only once.
      if (inputs.length <= MAX_REPORTED_FIELDS) return inputs;
      let errorCount = 0;
      const last = inputs.findIndex((input) => {
        if (!item.safeParse(input).success) errorCount += 1;
        return errorCount === MAX_REPORTED_FIELDS;
      });
      return last < 0 ? inputs : inputs.slice(0, last + 1);
    })
    .pipe(z.array(item));
}
