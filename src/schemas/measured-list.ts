import { z } from "zod";

/**
 * A list of at least one item and at most so many. It is measured before its items are looked at: of hundreds of
 * thousands, each wrong one would be told.
 */
export function measuredList<T extends z.ZodType>(item: T, max: number) {
  return z.array(z.custom<z.input<T>>()).min(1).max(max).pipe(z.array(item));
}
