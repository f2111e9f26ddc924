import { compareTexts } from "../../../../src/base/values/code-point-order.js";
import type { StoredGrantToken } from "../../../../src/storage/apps.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";

export type RecordAge = Pick<StoredIdempotencyRecord, "createdAt" | "keyHash">;
/** An idempotency record's key hash, and the total size in bytes (`end`) of all records up to and including this one. */
export type RecordEnd = Pick<StoredIdempotencyRecord, "keyHash"> & { readonly end: number };
export type TokenEnd = Pick<StoredGrantToken, "expiresAt" | "id">;

/** Compares rows by age, oldest first, and then by ID. */
export function byAge(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || compareTexts(a.id, b.id);
}

/** Compares idempotency records by age, oldest first, and then by key hash. */
export function byRecordAge(a: RecordAge, b: RecordAge): number {
  return a.createdAt - b.createdAt || compareTexts(a.keyHash, b.keyHash);
}

/** Compares idempotency records by the order in which they were stored, earliest first. */
export function byRecordEnd(a: RecordEnd, b: RecordEnd): number {
  return a.end - b.end || compareTexts(a.keyHash, b.keyHash);
}

/** Compares tokens by expiry, earliest first, and then by ID. */
export function byTokenEnd(a: TokenEnd, b: TokenEnd): number {
  return a.expiresAt - b.expiresAt || compareTexts(a.id, b.id);
}

/** Returns the first `count` rows in sort order, without sorting all of them. */
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
