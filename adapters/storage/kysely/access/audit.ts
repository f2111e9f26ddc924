import { sql } from "kysely";
import type { AuditReads, AuditWrites } from "../../../../src/storage/audit.js";
import type { PortModule } from "../change/commit-buffer.js";
import { findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

export function auditModule(dialect: SqlDialect): PortModule<AuditReads, AuditWrites> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.audit);
  const selectEntries = (slot: Slot<{ organizationId: string }>) =>
    db.selectFrom("loyalty_audit").select(rows.columns).where("organization_id", "=", slot("organizationId"));

  const listAscending = prepare((slot: Slot<{ organizationId: string; after: number; limit: number }>) =>
    selectEntries(slot).where("sequence", ">", slot("after")).orderBy("sequence").limit(slot("limit")),
  );

  const findNewest = prepare((slot: Slot<{ organizationId: string }>) =>
    selectEntries(slot)
      // Matches every row, but makes the database read the index from its end.
      .where("sequence", ">", sql.lit(0))
      .orderBy("sequence", "desc")
      .limit(1),
  );

  const removeUpTo = prepare((slot: Slot<{ organizationId: string; sequence: number }>) =>
    db
      .deleteFrom("loyalty_audit")
      .where("organization_id", "=", slot("organizationId"))
      .where("sequence", "<=", slot("sequence")),
  );

  return {
    reads: {
      listAudit: ({ session, organizationId }, after, limit) =>
        session.all(listAscending({ organizationId, after, limit })),
      newestAudit: ({ session, organizationId }) => findFirst(session, findNewest({ organizationId })),
    },
    writes: {
      *lockAudit({ session, buffer, organizationId }) {
        yield* buffer.lock(organizationId);
        return yield* findFirst(session, findNewest({ organizationId }));
      },
      *appendAudit({ session, buffer, organizationId }, entry, maxEntries) {
        yield* session.change(rows.insert(organizationId, entry));
        const sequence = entry.sequence - maxEntries;
        if (sequence > 0) yield* session.change(removeUpTo({ organizationId, sequence }));
        yield* buffer.updateCounters(organizationId, {});
      },
    },
  };
}
