import type { StoredGrantToken } from "../../../src/storage/apps.js";
import type { StoredIdempotencyRecord } from "../../../src/storage/idempotency-records.js";
import { compareTexts } from "../../../src/values/code-point-order.js";

export type RecordAge = Pick<StoredIdempotencyRecord, "createdAt" | "keyHash">;
/** `end` is the sum of bytes of all answers up to this one. */
export type RecordEnd = Pick<StoredIdempotencyRecord, "keyHash"> & { readonly end: number };
export type TokenEnd = Pick<StoredGrantToken, "expiresAt" | "id">;

/** Oldest first: by `createdAt`, then id. */
export function byAge(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || compareTexts(a.id, b.id);
}

/** Oldest first. */
export function byRecordAge(a: RecordAge, b: RecordAge): number {
  return a.createdAt - b.createdAt || compareTexts(a.keyHash, b.keyHash);
}

/** Orders answers by when they were put, the first ones first. */
export function byRecordEnd(a: RecordEnd, b: RecordEnd): number {
  return a.end - b.end || compareTexts(a.keyHash, b.keyHash);
}

/** Orders tokens by when they expire, the earliest first. */
export function byTokenEnd(a: TokenEnd, b: TokenEnd): number {
  return a.expiresAt - b.expiresAt || compareTexts(a.id, b.id);
}

/** The first `count` of the rows in their order, without sorting those that come after them. */
export function firstInOrder<Row>(
  rows: readonly Row[],
  count: number,
  compare: (a: Row, b: Row) => number,
): Row[] {
  const first: Row[] = [];
  let last: Row | undefined;
  for (const row of rows) {
    if (last !== undefined && compare(row, last) > 0) continue;
    first.push(row);
    if (first.length >= 2 * count) {
      first.sort(compare).splice(count);
      last = first.at(-1);
    }
  }
  return first.sort(compare).slice(0, count);
}
