import type { Step } from "../concurrency/step.js";
import { type RowOf, record, text, time } from "./record.js";
/** The stored answer to a call with an idempotency key. */
export const idempotencyRecord = record("idempotencyRecords", ["keyHash"], {
  /** Stands for the key: 64 lower-case hexadecimal digits. Unique in the organization. */
  keyHash: text(),
  /** Stands for what was asked for with the key: 64 lower-case hexadecimal digits. */
  fingerprint: text().personal(),
  /** Only the holder of the key can read it; empty once it is forgotten, as the fingerprint then is. */
  sealed: text().personal(),
  /** The user that the outcome contains; `null` for none. */
  userId: text().nullable(),
  createdAt: time(),
});

export type StoredIdempotencyRecord = RowOf<typeof idempotencyRecord>;

export interface IdempotencyReads {
  findIdempotencyRecord(organizationId: string, keyHash: string): Step<StoredIdempotencyRecord | null>;
}

export interface IdempotencyWrites {
  /** Keeps the answer, in the place of one for the same key. */
  putIdempotencyRecord(organizationId: string, answer: StoredIdempotencyRecord): Step<void>;
  /**
   * Clears the fingerprints and the sealed outcomes that contain a user. The rows stay, so that their keys remain taken.
   * @returns how many there were.
   */
  redactIdempotencyRecords(organizationId: string, userId: string): Step<number>;
  /**
   * Removes the oldest answers (at most `limit`) of those made before a time.
   * @returns how many were removed.
   */
  removeExpiredIdempotencyRecords(organizationId: string, before: number, limit: number): Step<number>;
  /**
   * Deletes the oldest records until at most `bytes` of `sealed` remain, at most `limit` per call. A replaced record counts again
   * as new; removed and redacted bytes still count.
   * @returns how many were removed.
   */
  trimIdempotencyRecords(organizationId: string, bytes: number, limit: number): Step<number>;
}
