import { compareTexts } from "../../../../src/base/values/text.js";
import type { StoredGrantToken } from "../../../../src/storage/apps.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";

export type RecordAge = Pick<StoredIdempotencyRecord, "createdAt" | "keyHash">;
/**
 * A sort key that puts idempotency records in the order in which they were stored. `end` is the cumulative size, in bytes, of all
 * records up to and including this one.
 */
export type RecordEnd = Pick<StoredIdempotencyRecord, "keyHash"> & { readonly end: number };
export type TokenEnd = Pick<StoredGrantToken, "expiresAt" | "id">;

/** Compares rows by `createdAt` (oldest first), then by ID. */
export function byAge(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || compareTexts(a.id, b.id);
}

/** Compares idempotency records by `createdAt` (oldest first), then by key hash. */
export function byRecordAge(a: RecordAge, b: RecordAge): number {
  return a.createdAt - b.createdAt || compareTexts(a.keyHash, b.keyHash);
}

/** Compares idempotency records by the order in which they were stored. */
export function byRecordEnd(a: RecordEnd, b: RecordEnd): number {
  return a.end - b.end || compareTexts(a.keyHash, b.keyHash);
}

/** Compares tokens by `expiresAt` (earliest first), then by ID. */
export function byTokenEnd(a: TokenEnd, b: TokenEnd): number {
  return a.expiresAt - b.expiresAt || compareTexts(a.id, b.id);
}

/** Returns the first `count` rows in sort order, without sorting all rows. */
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
