import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { validationFailed } from "../base/errors.js";
import { parse } from "../base/parse.js";
import { timestamp } from "../base/values/clock.js";
import { CHAIN_START, isUnaltered, MAX_AUDIT_ENTRIES } from "../kernel/audit.js";
import { UseCases } from "../kernel/use-cases.js";
import type { StoredAuditEntry } from "../storage/audit.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { actorOf } from "./actor-schema.js";
import {
  type AuditEntry,
  type AuditHeadQuery,
  type AuditPage,
  type AuditQuery,
  type AuditVerification,
  auditHeadQuerySchema,
  auditQuerySchema,
} from "./audit-schema.js";

const PAGE_SIZE = 500;

/**
 * Reads and verifies the audit trail, which records changes to tokens, apps, grants, and webhook endpoints, as well as customer
 * exports and erasures. Each entry is written in the same transaction as the action it records, and never changes. Its hash also
 * covers the previous entry. Only the newest 100,000 entries are kept.
 */
export class AuditTrail extends UseCases {
  /**
   * Lists entries, oldest first.
   * @param query the page to read. `after` is the `next` value of an earlier page (default: start at the oldest entry). If `newest`
   *   is set instead, the page contains the newest `limit` entries. `limit` is 1 to 1,000 (default: 100).
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `audit:read`.
   */
  async list(query: AuditQuery = {}): Promise<AuditPage> {
    const { after, newest = false, limit } = parse(auditQuerySchema, query);
    return this.tenant.read(function* (reader) {
      const end = newest ? ((yield* reader.newestAudit())?.sequence ?? 0) : null;
      const start = end === null ? Number(after ?? 0) : Math.max(0, end - limit);
      const entries = yield* reader.listAudit(start, limit);
      return { content: entries.map(auditEntryOf), next: String(entries.at(-1)?.sequence ?? start) };
    });
  }

  /**
   * Verifies that no entry has been changed or removed. Someone with write access to the storage could rewrite the whole trail, so
   * store the returned `head` elsewhere and pass it to the next call.
   * @param head the `head` returned by an earlier call. It must still be in the trail, unless it is older than the oldest stored
   *   entry.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `audit:read`.
   */
  async verify(head: AuditHeadQuery = {}): Promise<AuditVerification> {
    const { sequence, hash } = parse(auditHeadQuerySchema, head);
    if ((sequence === undefined) !== (hash === undefined)) {
      throw validationFailed({
        [sequence === undefined ? "sequence" : "hash"]: "must be given with the other of sequence and hash",
      });
    }
    const { organizationId } = this.tenant;
    const knownHead = sequence === undefined || hash === undefined ? null : { sequence, hash };
    return this.tenant.read((reader) => verifyTrail(reader, organizationId, knownHead), true);
  }
}

/**
 * Verifies the hash chain of an organization's audit trail.
 * @param knownHead an entry that must still be in the trail, or `null` to skip that check.
 */
export function* verifyTrail(
  reader: StorageReader,
  organizationId: string,
  knownHead: AuditVerification["head"] = null,
): Step<AuditVerification> {
  let firstEntry: StoredAuditEntry | null = null;
  let newestEntry: StoredAuditEntry | null = null;
  let entries = 0;
  let brokenAt: number | null = null;
  for (let after = 0; ; ) {
    const page = yield* reader.listAudit(after, PAGE_SIZE);
    for (const entry of page) {
      const isLinked = newestEntry === null ? isValidFirstEntry(entry) : isLinkedTo(entry, newestEntry);
      const matchesKnownHead = entry.sequence !== knownHead?.sequence || entry.hash === knownHead.hash;
      if (!(isLinked && matchesKnownHead && isUnaltered(organizationId, entry))) brokenAt ??= entry.sequence;
      firstEntry ??= entry;
      newestEntry = entry;
    }
    entries += page.length;
    if (newestEntry === null || page.length < PAGE_SIZE) break;
    after = newestEntry.sequence;
    yield* yieldIfDue();
  }
  const lastSequence = newestEntry?.sequence ?? 0;
  // Retention only removes entries from the start of the trail, and only above the maximum number. More missing entries mean that
  // the trail was altered.
  if (firstEntry !== null && firstEntry.sequence > Math.max(1, lastSequence - MAX_AUDIT_ENTRIES + 1))
    brokenAt = firstEntry.sequence - 1;
  if (knownHead !== null && knownHead.sequence > lastSequence) brokenAt ??= lastSequence + 1;
  const head = newestEntry === null ? null : { sequence: newestEntry.sequence, hash: newestEntry.hash };
  return { object: "audit_verification", entries, head, brokenAt };
}

function isValidFirstEntry({ sequence, previousHash }: StoredAuditEntry): boolean {
  return sequence > 1 || previousHash === CHAIN_START;
}

function isLinkedTo({ sequence, previousHash }: StoredAuditEntry, previous: StoredAuditEntry): boolean {
  return sequence === previous.sequence + 1 && previousHash === previous.hash;
}

export function auditEntryOf(entry: StoredAuditEntry): AuditEntry {
  const { sequence, action, target, details, hash, createdAt } = entry;
  return {
    object: "audit_entry",
    sequence,
    action,
    target,
    details: JSON.parse(details),
    actor: actorOf(entry),
    hash,
    createdAt: timestamp(createdAt),
  };
}
