import { z } from "zod";

/** An ISO 8601 timestamp in UTC with milliseconds, as the interface writes it. */
export const wireTimestamp = z.iso.datetime({ precision: 3 });

export function wirePage<T extends z.ZodType>(content: T) {
  return z.object({
    content: z.array(content),
    totalElements: z.int().min(0),
    totalPages: z.int().min(0),
    number: z.int().min(0),
    size: z.int().min(1),
  });
}

export function wireTagQueryPage<T extends z.ZodType>(content: T) {
  return wirePage(content).extend({ first: z.boolean(), last: z.boolean(), empty: z.boolean() });
}
