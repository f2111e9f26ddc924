import type { Part } from "./error-formats.js";

/** What every answer to a valid token tells of its limit, while limits are on. Answers refer to them. */
export const sharedHeaders: Part = {
  RateLimit: header(
    "While limits are on: how many requests are left (`r`) in the window that ends in `t` seconds.",
    '"default";r=999;t=60',
  ),
  "RateLimit-Policy": header(
    "While limits are on: how many requests (`q`) there may be in a window of `w` seconds.",
    '"default";q=1000;w=60',
  ),
};

/** What each answer has in place of {@link sharedHeaders}, which the document describes once. */
export const referencesToShared: Part = Object.fromEntries(
  Object.keys(sharedHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** Marks an answer that an idempotency key had before. */
export const replayedHeader: Part = {
  "Idempotency-Replayed": header(
    "`true` when the key of the request was answered before: this is that answer.",
    "true",
  ),
};

/** The description of a header whose value is a text. */
export function header(description: string, example: string): Part {
  return { description, schema: { type: "string" }, example };
}
