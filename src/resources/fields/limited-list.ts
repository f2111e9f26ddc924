import * as z from "zod";
import { MAX_REPORTED_FIELDS } from "../parse.js";

/**
 * A list of at least one item and at most so many. It is measured before its items are looked at, and those behind a
 * hundred wrong ones are not looked at: a hostile list can have hundreds of thousands.
 */
export function limitedList<T extends z.ZodType>(item: T, max: number) {
  // Items that are not looked at yet are described all the same.
  const { $schema: _, ...items } = z.toJSONSchema(item, {
    io: "input",
    unrepresentable: "any",
    // Generators take a field with a default for one that is always there.
    override: ({ jsonSchema }) => {
      delete jsonSchema.default;
    },
  });
  return z
    .array(z.custom<z.input<T>>())
    .min(1)
    .max(max)
    .meta({ items })
    .transform((inputs) => {
      let wrong = 0;
      const last = inputs.findIndex((input) => {
        if (!item.safeParse(input).success) wrong += 1;
        return wrong === MAX_REPORTED_FIELDS;
      });
      return last < 0 ? inputs : inputs.slice(0, last + 1);
    })
    .pipe(z.array(item));
}
