import type { StoredGrantToken } from "../../../src/storage/apps.js";
import type { StoredIdempotencyRecord } from "../../../src/storage/idempotency-records.js";
import { compareTexts } from "../../../src/values/code-point-order.js";

export type RecordAge = Pick<StoredIdempotencyRecord, "createdAt" | "keyHash">;
/** `end` is the total bytes of all records up to and including this one. */
export type RecordEnd = Pick<StoredIdempotencyRecord, "keyHash"> & { readonly end: number };
export type TokenEnd = Pick<StoredGrantToken, "expiresAt" | "id">;

/** Sorts oldest first: by `createdAt`, then id. */
export function byAge(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return a.createdAt - b.createdAt || compareTexts(a.id, b.id);
}

/** Sorts idempotency records oldest first: by `createdAt`, then key hash. */
export function byRecordAge(a: RecordAge, b: RecordAge): number {
  return a.createdAt - b.createdAt || compareTexts(a.keyHash, b.keyHash);
}

/** Sorts idempotency records in the order they were stored, earliest first. */
export function byRecordEnd(a: RecordEnd, b: RecordEnd): number {
  return a.end - b.end || compareTexts(a.keyHash, b.keyHash);
}

/** Sorts tokens by expiry, earliest first. */
export function byTokenEnd(a: TokenEnd, b: TokenEnd): number {
  return a.expiresAt - b.expiresAt || compareTexts(a.id, b.id);
}

/** Returns the first `count` rows in sort order, without sorting the rest. */
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
