import { createHash, randomBytes } from "node:crypto";
import type { AuditAction } from "../access/audit-schema.js";
import type { Step } from "../base/concurrency/step.js";
import type { StoredAuditEntry } from "../storage/audit.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "./tenant.js";

/** The value that the first link of a chain uses as its previous hash. */
export const CHAIN_START = "0".repeat(64);

/**
 * Returns the hash of a link in a chain, computed from the previous link's hash and the link's content. The hash is SHA-256, as 64
 * lowercase hexadecimal digits.
 */
function hashLink(previousHash: string, content: readonly (string | number | null)[]): string {
  return sha256(JSON.stringify([previousHash, ...content]));
}

/**
 * Returns a commitment to a string: a hash that can later prove what the string was, but reveals nothing about it without the salt.
 */
function commitToText(salt: string, text: string): string {
  return sha256(JSON.stringify([salt, text]));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Maximum number of stored audit entries per organization. Once the limit is reached, each new entry displaces the oldest one. */
export const MAX_AUDIT_ENTRIES = 100_000;

export interface AuditedAction {
  readonly action: AuditAction;
  /** The ID of the resource that the action affected, or `null` if the action affected no resource or several. */
  readonly target: string | null;
  /**
   * Additional details. They must not contain secrets, or personal data other than IDs of customers and people, because nothing can
   * be erased from the hash chain.
   */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Records an administrative action in the audit trail. Call this in the transaction that performs the action, so that both are
 * committed together.
 */
export function* recordAuditEntry(
  tx: StorageTransaction,
  tenant: Tenant,
  { action, target, details = {} }: AuditedAction,
): Step<void> {
  const { organizationId, actor } = tenant;
  const previousEntry = yield* tx.lockAudit();
  const { subject } = actor.stored;
  const salt = subject === null ? null : randomBytes(16).toString("hex");
  const entry = {
    sequence: (previousEntry?.sequence ?? 0) + 1,
    action,
    target,
    details: JSON.stringify(details),
    ...actor.stored,
    salt,
    subjectSeal: subject === null || salt === null ? null : commitToText(salt, subject),
    previousHash: previousEntry?.hash ?? CHAIN_START,
    createdAt: tenant.now(),
  };
  const hash = hashEntry(organizationId, entry);
  yield* tx.appendAudit({ ...entry, hash }, MAX_AUDIT_ENTRIES);
}

/** Records an action that changed no data, such as an export, in the audit trail. */
export function recordAuditedRead(tenant: Tenant, action: AuditedAction): Promise<void> {
  return tenant.change(["audit.note", {}], ({ tx }) => recordAuditEntry(tx, tenant, action));
}

/** Returns whether an audit entry is unaltered. Redacting its subject doesn't count as an alteration. */
export function isUnaltered(organizationId: string, entry: StoredAuditEntry): boolean {
  const { subject, salt, subjectSeal, hash } = entry;
  const isSubjectUnaltered =
    subject === null || salt === null
      ? subject === null && salt === null
      : commitToText(salt, subject) === subjectSeal;
  return isSubjectUnaltered && hashEntry(organizationId, entry) === hash;
}

function hashEntry(organizationId: string, entry: Omit<StoredAuditEntry, "hash">): string {
  const { sequence, action, target, details, actor, subjectSeal, previousHash, createdAt } = entry;
  return hashLink(previousHash, [
    organizationId,
    sequence,
    createdAt,
    action,
    target,
    details,
    actor,
    subjectSeal,
  ]);
}
