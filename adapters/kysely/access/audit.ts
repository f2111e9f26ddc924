import { sql } from "kysely";
import type { AuditReads, AuditWrites, StoredAuditEntry } from "../../../src/storage/audit.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { Changing } from "../change/pending.js";
import { first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

export function auditReads(dialect: SqlDialect): Functions<AuditReads, Reading> {
  const ascending = prepare((slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    entriesOf(dialect)
      .where("organization_id", "=", slot("organizationId"))
      .where("sequence", ">", slot("after"))
      .orderBy("sequence")
      .limit(slot("limit")),
  );

  return {
    listAudit: ({ session }, organizationId, after, limit) =>
      session.all(ascending({ organizationId, after, limit })),
  };
}

export function auditWrites(dialect: SqlDialect): Functions<AuditWrites, Changing> {
  const { db } = dialect;
  const newest = prepare((slot: Slot<{ organizationId: string }>) =>
    entriesOf(dialect)
      .where("organization_id", "=", slot("organizationId"))
      // All are: it says that the index is read from its end.
      .where("sequence", ">", sql.lit(0))
      .orderBy("sequence", "desc")
      .limit(1),
  );

  const append = prepare((slot: Slot<StoredAuditEntry & { organizationId: string }>) =>
    db.insertInto("loyalty_audit").values({
      organization_id: slot("organizationId"),
      sequence: slot("sequence"),
      act: slot("act"),
      target: slot("target"),
      details: slot("details"),
      actor: slot("actor"),
      subject: slot("subject"),
      salt: slot("salt"),
      subject_seal: slot("subjectSeal"),
      previous_hash: slot("previousHash"),
      hash: slot("hash"),
      created_at: slot("createdAt"),
    }),
  );

  const removeUpTo = prepare((slot: Slot<{ organizationId: string; sequence: number }>) =>
    db
      .deleteFrom("loyalty_audit")
      .where("organization_id", "=", slot("organizationId"))
      .where("sequence", "<=", slot("sequence")),
  );

  return {
    *lockAudit({ session, pending }, organizationId) {
      yield* pending.lock(organizationId);
      return yield* first(session, newest({ organizationId }));
    },
    *appendAudit({ session, pending }, organizationId, entry, keep) {
      yield* session.change(append({ organizationId, ...entry }));
      const sequence = entry.sequence - keep;
      if (sequence > 0) yield* session.change(removeUpTo({ organizationId, sequence }));
      yield* pending.count(organizationId, {});
    },
  };
}

function entriesOf({ db }: SqlDialect) {
  return db
    .selectFrom("loyalty_audit")
    .select([
      "sequence",
      "act",
      "target",
      "details",
      "actor",
      "subject",
      "salt",
      "subject_seal as subjectSeal",
      "previous_hash as previousHash",
      "hash",
      "created_at as createdAt",
    ]);
}
