import * as z from "zod";

const MAX_SIZE = 200;

/** A page of a longer list, with totals for the whole list. */
export interface Page<T> {
  /** The items on this page. Empty if the page is past the end of the list. */
  readonly content: readonly T[];
  /** The total number of items across all pages. */
  readonly totalElements: number;
  /** The total number of pages, or 0 if the list is empty. */
  readonly totalPages: number;
  /** The number of this page, starting at 0. */
  readonly number: number;
  /** The maximum number of items on a page. */
  readonly size: number;
}

/** A page of a tag query's results, with flags for the first and last page. */
export interface TagQueryPage<T> extends Page<T> {
  /** Whether this is page 0, even if the list is empty. */
  readonly first: boolean;
  /** Whether this is the last page, or a page past the end of the list. */
  readonly last: boolean;
  /** Whether the page has no items, either because the list is empty or because the page is past the end of the list. */
  readonly empty: boolean;
}

export interface PageRequest {
  /** The number of the page to return, starting at 0. Pages past the end of the list are empty. */
  readonly page: number;
  /** Number of rows per page, at least 1. */
  readonly size: number;
}

/** Returns the index of a page's first row, capped at the largest safe integer. */
export function offsetOf({ page, size }: PageRequest): number {
  return Math.min(page * size, Number.MAX_SAFE_INTEGER);
}

export function pageOf<T>(
  content: readonly T[],
  totalElements: number,
  { page, size }: PageRequest,
): Page<T> {
  return { content, totalElements, totalPages: Math.ceil(totalElements / size), number: page, size };
}

/** Builds a page with its flags. An empty page past the end counts as the last page, as does page 0 if there are no results. */
export function tagQueryPageOf<T>(
  content: readonly T[],
  totalElements: number,
  request: PageRequest,
): TagQueryPage<T> {
  const page = pageOf(content, totalElements, request);
  return {
    ...page,
    first: request.page === 0,
    last: request.page >= page.totalPages - 1,
    empty: content.length === 0,
  };
}

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

/** The schema for a page number starting at 0 and a page size. The default size is 50, and sizes above 200 are capped at 200. */
export const listQuery = listQueryTo(MAX_SIZE);

/**
 * Builds the schema for a page number starting at 0 and a page size. The default size is 50, and sizes above `maxLimit` are capped
 * at `maxLimit`.
 */
export function listQueryTo(maxLimit: number) {
  return {
    page: z.int().min(0).default(0),
    size: z
      .int()
      .min(1)
      .overwrite((size) => Math.min(size, maxLimit))
      .default(50),
  };
}

export const pageQuerySchema = z.object(listQuery);

export type PageQuery = z.input<typeof pageQuerySchema>;
