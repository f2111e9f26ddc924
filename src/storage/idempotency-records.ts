import type { Step } from "../base/concurrency/step.js";
import { type RowOf, record, text, time } from "./record.js";
/** The stored outcome of a call with an idempotency key. */
export const idempotencyRecord = record("idempotencyRecords", ["keyHash"], {
  /** The hash of the key: 64 lowercase hexadecimal digits. Unique within the organization. */
  keyHash: text(),
  /** The hash of the request that was sent with the key: 64 lowercase hexadecimal digits. Empty once the record is redacted. */
  fingerprint: text(),
  /** The outcome, encrypted so that only the key can open it. Empty once the record is redacted. */
  sealed: text(),
  /** The user whose data the outcome contains, or `null` if there is none. */
  userId: text().nullable(),
  /** When the outcome was stored, in milliseconds since the Unix epoch. */
  createdAt: time(),
});

export type StoredIdempotencyRecord = RowOf<typeof idempotencyRecord>;

export interface IdempotencyReads {
  /** Finds the record for the idempotency key with this hash. Returns `null` if there is none. */
  findIdempotencyRecord(keyHash: string): Step<StoredIdempotencyRecord | null>;
}

export interface IdempotencyWrites {
  /** Stores a record, replacing any existing one with the same key. */
  putIdempotencyRecord(answer: StoredIdempotencyRecord): Step<void>;
  /**
   * Clears the fingerprints and sealed outcomes of the records that contain a user's data. The rows are kept, so that their keys
   * can't be reused.
   * @returns the number of redacted records.
   */
  redactIdempotencyRecords(userId: string): Step<number>;
  /**
   * Removes up to `limit` records that were created before the given time, oldest first.
   * @returns the number of removed records.
   */
  removeExpiredIdempotencyRecords(before: number, limit: number): Step<number>;
  /**
   * Removes up to `limit` records, oldest first, but keeps those within the most recently stored `bytes` bytes of `sealed` values.
   * Replacing a record stores its value again. Values that have since been removed or redacted still count toward these bytes.
   * @returns the number of removed records.
   */
  trimIdempotencyRecords(bytes: number, limit: number): Step<number>;
}
