import type { Step } from "../concurrency/step.js";
import { type RowOf, record, text, time } from "./record.js";
/** The stored outcome of a call with an idempotency key. */
export const idempotencyRecord = record("idempotencyRecords", ["keyHash"], {
  /** The hash of the key: 64 lower-case hexadecimal digits. Unique within the organization. */
  keyHash: text(),
  /** The hash of the request that came with the key: 64 lower-case hexadecimal digits. */
  fingerprint: text().personal(),
  /** The outcome, readable only with the key; empty once the record is redacted, like the fingerprint. */
  sealed: text().personal(),
  /** The user whose data the outcome contains; `null` if there is none. */
  userId: text().nullable(),
  createdAt: time(),
});

export type StoredIdempotencyRecord = RowOf<typeof idempotencyRecord>;

export interface IdempotencyReads {
  findIdempotencyRecord(organizationId: string, keyHash: string): Step<StoredIdempotencyRecord | null>;
}

export interface IdempotencyWrites {
  /** Stores a record, and replaces an existing one with the same key. */
  putIdempotencyRecord(organizationId: string, answer: StoredIdempotencyRecord): Step<void>;
  /**
   * Clears the fingerprints and sealed outcomes of the records that contain a user's data. The rows stay, so that their keys remain
   * taken.
   * @returns the number of redacted records.
   */
  redactIdempotencyRecords(organizationId: string, userId: string): Step<number>;
  /**
   * Removes the oldest records that were created before a time, at most `limit`.
   * @returns the number of removed records.
   */
  removeExpiredIdempotencyRecords(organizationId: string, before: number, limit: number): Step<number>;
  /**
   * Deletes the oldest records until at most `bytes` of `sealed` remain, at most `limit` per call. A replaced record counts again
   * as new; removed and redacted bytes still count.
   * @returns the number of removed records.
   */
  trimIdempotencyRecords(organizationId: string, bytes: number, limit: number): Step<number>;
}
