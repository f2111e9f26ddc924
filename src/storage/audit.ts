import type { Step } from "../concurrency/step.js";
import { actorColumns } from "./actors.js";
import { integer, json, type RowOf, record, text, time } from "./record.js";

/** An administrative action, chained to the previous one. */
export const auditRecord = record("audit", ["sequence"], {
  /** 1 for the first entry of the organization, then 2, 3, … without a gap. */
  sequence: integer(),
  action: text(),
  /** The id of what it was done to; `null` if that is no one thing. */
  target: text().nullable(),
  /** JSON text, kept to the letter. */
  details: json(),
  ...actorColumns,
  /** The salt of the subject's seal; `null` without a subject, and once that is forgotten. */
  salt: text().nullable().personal(),
  /** Binds the entry to its subject, and reveals nothing of it without the salt; `null` for an entry without a subject. */
  subjectSeal: text().nullable(),
  previousHash: text(),
  hash: text(),
  createdAt: time(),
});

export type StoredAuditEntry = RowOf<typeof auditRecord>;

export interface AuditReads {
  /** The entries above a sequence (0 for the start), ascending, at most `limit`. */
  listAudit(organizationId: string, after: number, limit: number): Step<StoredAuditEntry[]>;
  /** The newest entry; `null` before the first. */
  newestAudit(organizationId: string): Step<StoredAuditEntry | null>;
}

export interface AuditWrites {
  /**
   * The newest entry; `null` before the first. Until the transaction ends no other transaction of the organization gets or
   * appends one.
   */
  lockAudit(organizationId: string): Step<StoredAuditEntry | null>;
  /**
   * Appends an entry, and removes those whose sequence is `keep` or more below.
   * @throws an error if there is one of the same sequence.
   */
  appendAudit(organizationId: string, entry: StoredAuditEntry, keep: number): Step<void>;
}
