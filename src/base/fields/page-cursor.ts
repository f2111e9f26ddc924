import * as z from "zod";
import { onAnyObject } from "../parse.js";

/**
 * Query fields that select where a page of a log begins: right after an earlier page, given by its `next` value, or at the newest
 * entries.
 */
export const pageCursorFields = {
  after: z
    .string()
    .regex(/^[0-9]{1,15}$/, { error: "must be the `next` value of an earlier page" })
    .optional(),
  newest: z.boolean().optional(),
};

interface PagePosition {
  readonly after?: string | undefined;
  readonly newest?: boolean | undefined;
}

/** Adds a check that a query has at most one of the {@link pageCursorFields}. */
export function withOneCursor<Query extends z.ZodType<PagePosition>>(query: Query): Query {
  return query.superRefine(({ after, newest }, context) => {
    if (newest !== true || after === undefined) return;
    context.addIssue({ code: "custom", path: ["newest"], message: "can't be combined with after" });
  }, onAnyObject);
}
