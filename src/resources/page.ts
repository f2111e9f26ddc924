/** A page of a longer list, with the totals of the whole. */
export interface Page<T> {
  readonly content: readonly T[];
  readonly totalElements: number;
  readonly totalPages: number;
  /** The page's number, from 0. */
  readonly number: number;
  readonly size: number;
}

/** A page of the tag query, which tells its place too. */
export interface TagQueryPage<T> extends Page<T> {
  readonly first: boolean;
  readonly last: boolean;
  readonly empty: boolean;
}

export interface PageRequest {
  /** From 0. */
  readonly page: number;
  /** From 1. */
  readonly size: number;
}

/** Where a page starts. Pages beyond what can be counted exactly are all past the end. */
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

/** A page past the end is empty and the last one; so is the first page of no results. */
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
