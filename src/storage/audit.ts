import type { Step } from "../base/concurrency/step.js";
import { actorColumns } from "./actors.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";

/** An audit trail entry for an administrative action. Each entry is hash-chained to the previous one. */
export const auditRecord = record("audit", ["sequence"], {
  /** The entry's number within its organization: 1, 2, 3, … without gaps. */
  sequence: integer(),
  /** The action, such as `api_token.created`. */
  action: text(),
  /** The ID of the resource that the action affected, or `null` if it didn't affect a single resource. */
  target: text().nullable(),
  /** JSON text, stored verbatim. */
  details: json(),
  ...actorColumns,
  /** The salt of the subject's seal, or `null` if the entry never had a subject, or its subject was redacted. */
  salt: text().nullable(),
  /**
   * A commitment to the entry's subject that reveals nothing about the subject without the salt, or `null` if the entry has no
   * subject.
   */
  subjectSeal: text().nullable(),
  /** The hash of the previous entry, or 64 zeros for the organization's first entry. */
  previousHash: text(),
  /** SHA-256 of the previous entry's hash and this entry's content, as 64 lowercase hexadecimal digits. */
  hash: text(),
  /** When the action was performed, in milliseconds since the Unix epoch. */
  createdAt: time(),
});

export type StoredAuditEntry = RowOf<typeof auditRecord>;

export interface AuditReads {
  /**
   * Lists up to `limit` entries whose sequence number is greater than `after`, in ascending order. Pass 0 to start from the
   * beginning.
   */
  listAudit(after: number, limit: number): Step<StoredAuditEntry[]>;
  /** Returns the newest entry, or `null` if there are no entries. */
  newestAudit(): Step<StoredAuditEntry | null>;
}

export interface AuditWrites {
  /**
   * Locks the audit trail and returns its newest entry, or `null` if there are no entries. Until the transaction ends, other
   * transactions for the organization can neither call this method nor append entries.
   */
  lockAudit(): Step<StoredAuditEntry | null>;
  /**
   * Appends an entry, then removes the oldest entries until `maxEntries` entries remain.
   * @throws an error if an entry with this sequence number already exists.
   */
  appendAudit(entry: StoredAuditEntry, maxEntries: number): Step<void>;
}
