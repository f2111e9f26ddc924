import type { StoredIdempotencyRecord } from "../../../src/storage/idempotency-records.js";
import type { RecordEnd } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function putIdempotencyRecord(
  rows: OrganizationRows,
  log: UndoLog,
  record: StoredIdempotencyRecord,
): void {
  const { idempotencyRecordEnds, idempotencyRecordsByEnd } = rows;
  const end = (idempotencyRecordsByEnd.inOrder.at(-1)?.end ?? 0) + record.sealed.length;
  insertRecord(rows, log, record);
  const { keyHash } = record;
  const [previous, recordEnd] = [idempotencyRecordEnds.get(keyHash), { end, keyHash }];
  if (previous !== undefined) removeRecordEnd(rows, log, previous);
  log.set(idempotencyRecordEnds, keyHash, recordEnd);
  log.change(
    () => idempotencyRecordsByEnd.add(recordEnd),
    () => idempotencyRecordsByEnd.remove(recordEnd),
  );
}

/** Inserts the record, replacing any existing record with the same key. */
function insertRecord(rows: OrganizationRows, log: UndoLog, record: StoredIdempotencyRecord): void {
  const { idempotencyRecords, idempotencyRecordsByAge } = rows;
  const previous = idempotencyRecords.get(record.keyHash);
  if (previous !== undefined) removeRow(rows, log, previous);
  const row = freezeRow(record);
  log.set(idempotencyRecords, row.keyHash, row);
  log.change(
    () => idempotencyRecordsByAge.add(row),
    () => idempotencyRecordsByAge.remove(row),
  );
}

export function removeExpiredIdempotencyRecords(
  rows: OrganizationRows,
  log: UndoLog,
  before: number,
  limit: number,
): number {
  const { idempotencyRecordsByAge } = rows;
  const end = idempotencyRecordsByAge.countBefore({ createdAt: before, keyHash: "" });
  const old = idempotencyRecordsByAge.inOrder.slice(0, Math.min(end, limit));
  for (const record of old) removeRecord(rows, log, record);
  return old.length;
}

export function redactIdempotencyRecords(rows: OrganizationRows, log: UndoLog, userId: string): number {
  const records = [...rows.idempotencyRecords.values()].filter((record) => record.userId === userId);
  for (const record of records) insertRecord(rows, log, { ...record, fingerprint: "", sealed: "" });
  return records.length;
}

export function trimIdempotencyRecords(
  rows: OrganizationRows,
  log: UndoLog,
  bytes: number,
  limit: number,
): number {
  const { idempotencyRecords, idempotencyRecordsByEnd } = rows;
  const newest = idempotencyRecordsByEnd.inOrder.at(-1)?.end ?? 0;
  const count = idempotencyRecordsByEnd.countBefore({ end: newest - bytes + 1, keyHash: "" });
  const first = idempotencyRecordsByEnd.inOrder.slice(0, Math.min(count, limit));
  for (const { keyHash } of first) removeRecord(rows, log, requireRow(idempotencyRecords, keyHash));
  return first.length;
}

function removeRecord(rows: OrganizationRows, log: UndoLog, record: StoredIdempotencyRecord): void {
  removeRow(rows, log, record);
  removeRecordEnd(rows, log, requireRow(rows.idempotencyRecordEnds, record.keyHash));
}

function removeRow(
  { idempotencyRecords, idempotencyRecordsByAge }: OrganizationRows,
  log: UndoLog,
  record: StoredIdempotencyRecord,
): void {
  log.delete(idempotencyRecords, record.keyHash);
  log.change(
    () => idempotencyRecordsByAge.remove(record),
    () => idempotencyRecordsByAge.add(record),
  );
}

function removeRecordEnd(
  { idempotencyRecordEnds, idempotencyRecordsByEnd }: OrganizationRows,
  log: UndoLog,
  recordEnd: RecordEnd,
): void {
  log.delete(idempotencyRecordEnds, recordEnd.keyHash);
  log.change(
    () => idempotencyRecordsByEnd.remove(recordEnd),
    () => idempotencyRecordsByEnd.add(recordEnd),
  );
}
