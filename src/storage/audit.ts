import type { Step } from "../concurrency/step.js";
import { actorColumns } from "./actors.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";

/** An audit trail entry for an administrative action, hash-chained to the previous entry. */
export const auditRecord = record("audit", ["sequence"], {
  /** The entry's number within its organization: 1, 2, 3, … without gaps. */
  sequence: integer(),
  action: text(),
  /** The id of the resource that it was applied to; `null` if there is no single resource. */
  target: text().nullable(),
  /** JSON text, stored verbatim. */
  details: json(),
  ...actorColumns,
  /** The salt of the subject's seal; `null` without a subject, and once the subject is redacted. */
  salt: text().nullable().personal(),
  /** Binds the entry to its subject, and reveals nothing about the subject without the salt; `null` if the entry has no subject. */
  subjectSeal: text().nullable(),
  previousHash: text(),
  hash: text(),
  createdAt: time(),
});

export type StoredAuditEntry = RowOf<typeof auditRecord>;

export interface AuditReads {
  /** Lists the entries after a sequence number (0 for the start), ascending, at most `limit`. */
  listAudit(organizationId: string, after: number, limit: number): Step<StoredAuditEntry[]>;
  /** Returns the newest entry; `null` if there are no entries. */
  newestAudit(organizationId: string): Step<StoredAuditEntry | null>;
}

export interface AuditWrites {
  /**
   * Returns the newest entry; `null` if there are no entries. Until the transaction ends, no other transaction of the organization
   * can call this or append an entry.
   */
  lockAudit(organizationId: string): Step<StoredAuditEntry | null>;
  /**
   * Appends an entry, and removes the entries whose sequence is `keep` or more below the new one's.
   * @throws an error if there already is an entry with the same sequence.
   */
  appendAudit(organizationId: string, entry: StoredAuditEntry, keep: number): Step<void>;
}
