import { compareTexts } from "../../../../src/base/values/text.js";
import type { StoredGrantToken } from "../../../../src/storage/apps.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";
import type { StoredDelivery } from "../../../../src/storage/webhooks.js";

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
export function selectFirst<Row>(
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

type AgeKey = Pick<StoredDelivery, "createdAt" | "id">;
type DueTimeKey = Pick<StoredDelivery, "nextAttemptAt" | "id">;

/** One endpoint's webhook deliveries, sorted both by age and by due time. */
export class DeliveryOrder {
  readonly byAge = new SortedRows<AgeKey, StoredDelivery>(byAge);
  /** Pending deliveries, ordered by `nextAttemptAt`, then by ID. */
  readonly byDueTime = new SortedRows<DueTimeKey, StoredDelivery>(compareDueTimes);

  add(delivery: StoredDelivery): void {
    this.byAge.add(delivery);
    if (delivery.nextAttemptAt !== null) this.byDueTime.add(delivery);
  }

  remove(delivery: StoredDelivery): void {
    this.byAge.remove(delivery);
    if (delivery.nextAttemptAt !== null) this.byDueTime.remove(delivery);
  }

  /** When the earliest pending delivery is due, in milliseconds since the Unix epoch, or `Infinity` if none is pending. */
  get dueAt(): number {
    return getDueTime(this.byDueTime.inOrder[0]);
  }

  /** Returns up to `limit` deliveries that are due at `now`, longest overdue first. */
  listDue(now: number, limit: number): StoredDelivery[] {
    return this.byDueTime.inOrder.slice(0, limit).filter((delivery) => getDueTime(delivery) <= now);
  }
}

function compareDueTimes(a: DueTimeKey, b: DueTimeKey): number {
  return getDueTime(a) - getDueTime(b) || compareTexts(a.id, b.id);
}

function getDueTime(delivery: DueTimeKey | undefined): number {
  return delivery?.nextAttemptAt ?? Number.POSITIVE_INFINITY;
}

/**
 * Keeps rows sorted and finds them by binary search. No two rows can have equal sort keys.
 * @typeParam Key the part of the row that determines its position.
 */
export class SortedRows<Key, Row extends Key> {
  private readonly rows: Row[] = [];

  constructor(private readonly compare: (a: Key, b: Key) => number) {}

  get inOrder(): readonly Row[] {
    return this.rows;
  }

  add(row: Row): void {
    this.rows.splice(this.countBefore(row), 0, row);
  }

  remove(row: Row): void {
    this.rows.splice(this.countBefore(row), 1);
  }

  /**
   * Returns how many rows come before the given key. If a row has this key, the result is its index. Otherwise, it is the index at
   * which to insert such a row.
   */
  countBefore(key: Key): number {
    let [low, high] = [0, this.rows.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      const row = this.rows[middle];
      if (row !== undefined && this.compare(row, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
