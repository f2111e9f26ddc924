import {
  type IdempotencyReads,
  type IdempotencyWrites,
  idempotencyRecord,
  type StoredIdempotencyRecord,
} from "../../../../src/storage/idempotency-records.js";
import { prepare, type Slot } from "../session/session.js";
import { createSlots } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepareLimitedDelete } from "../sql/limited-delete.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";
import type { PortModule } from "./commit-buffer.js";

export function idempotencyRecordModule(
  dialect: SqlDialect,
): PortModule<IdempotencyReads, IdempotencyWrites> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.idempotencyRecords);

  const putRecord = prepare(
    (slot: Slot<StoredIdempotencyRecord & { organizationId: string; bytes: number }>) => {
      const { key_hash, ...otherColumns } = createSlots(idempotencyRecord.columns, slot);
      return db
        .insertInto("loyalty_idempotency_records")
        .values(({ selectFrom }) => ({
          organization_id: slot("organizationId"),
          key_hash,
          ...otherColumns,
          end_bytes: selectFrom("loyalty_idempotency_records")
            .select(({ eb, fn, lit }) =>
              eb(fn.coalesce(fn.max("end_bytes"), lit(0)), "+", slot("bytes")).as("end_bytes"),
            )
            .where("organization_id", "=", slot("organizationId")),
        }))
        .onConflict((conflict) =>
          conflict
            .columns(["organization_id", "key_hash"])
            .doUpdateSet(({ ref }) => ({ ...otherColumns, end_bytes: ref("excluded.end_bytes") })),
        );
    },
  );

  const removeExpired = prepareLimitedDelete(
    dialect,
    "loyalty_idempotency_records",
    "key_hash",
    (records, slot: Slot<{ organizationId: string; before: number; limit: number }>) =>
      records.where("created_at", "<", slot("before")).orderBy("created_at").limit(slot("limit")),
  );

  const removeExcess = prepareLimitedDelete(
    dialect,
    "loyalty_idempotency_records",
    "key_hash",
    (records, slot: Slot<{ organizationId: string; bytes: number; limit: number }>) =>
      records
        .where("end_bytes", "<=", ({ selectFrom }) =>
          selectFrom("loyalty_idempotency_records")
            .select(({ eb, fn }) => eb(fn.max("end_bytes"), "-", slot("bytes")).as("end_bytes"))
            .where("organization_id", "=", slot("organizationId")),
        )
        .orderBy("end_bytes")
        .limit(slot("limit")),
  );

  const redactRecords = prepare((slot: Slot<{ organizationId: string; userId: string }>) =>
    db
      .updateTable("loyalty_idempotency_records")
      .set({ fingerprint: "", sealed: "" })
      .where("organization_id", "=", slot("organizationId"))
      .where("user_id", "=", slot("userId")),
  );

  return {
    reads: {
      findIdempotencyRecord: ({ session, organizationId }, keyHash) =>
        rows.find(session, organizationId, { keyHash }),
    },
    writes: {
      redactIdempotencyRecords: ({ session, organizationId }, userId) =>
        session.change(redactRecords({ organizationId, userId })),
      *putIdempotencyRecord({ session, buffer, organizationId }, record) {
        // Must come first, because it locks the organization, and the size calculation depends on records from other transactions.
        yield* buffer.updateCounters(organizationId, {});
        yield* session.change(putRecord({ organizationId, ...record, bytes: record.sealed.length }));
      },
      removeExpiredIdempotencyRecords: ({ session, organizationId }, before, limit) =>
        session.change(removeExpired({ organizationId, before, limit })),
      trimIdempotencyRecords: ({ session, organizationId }, bytes, limit) =>
        session.change(removeExcess({ organizationId, bytes, limit })),
    },
  };
}
