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
  const { idempotencyRecordEnds: answerEnds, idempotencyRecordsByEnd: answersByEnd } = rows;
  const end = (answersByEnd.inOrder.at(-1)?.end ?? 0) + record.sealed.length;
  insertRecord(rows, log, record);
  const { keyHash } = record;
  const [previous, recordEnd] = [answerEnds.get(keyHash), { end, keyHash }];
  if (previous !== undefined) removeRecordEnd(rows, log, previous);
  log.set(answerEnds, keyHash, recordEnd);
  log.change(
    () => answersByEnd.add(recordEnd),
    () => answersByEnd.remove(recordEnd),
  );
}

/** Inserts the record, replacing any existing record with the same key. */
function insertRecord(rows: OrganizationRows, log: UndoLog, record: StoredIdempotencyRecord): void {
  const { idempotencyRecords: answers, idempotencyRecordsByAge: answersByAge } = rows;
  const previous = answers.get(record.keyHash);
  if (previous !== undefined) removeRow(rows, log, previous);
  const row = freezeRow(record);
  log.set(answers, row.keyHash, row);
  log.change(
    () => answersByAge.add(row),
    () => answersByAge.remove(row),
  );
}

export function removeExpiredIdempotencyRecords(
  rows: OrganizationRows,
  log: UndoLog,
  before: number,
  limit: number,
): number {
  const { idempotencyRecordsByAge: answersByAge } = rows;
  const end = answersByAge.countBefore({ createdAt: before, keyHash: "" });
  const old = answersByAge.inOrder.slice(0, Math.min(end, limit));
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
  const { idempotencyRecords: answers, idempotencyRecordsByEnd: answersByEnd } = rows;
  const newest = answersByEnd.inOrder.at(-1)?.end ?? 0;
  const count = answersByEnd.countBefore({ end: newest - bytes + 1, keyHash: "" });
  const first = answersByEnd.inOrder.slice(0, Math.min(count, limit));
  for (const { keyHash } of first) removeRecord(rows, log, requireRow(answers, keyHash));
  return first.length;
}

function removeRecord(rows: OrganizationRows, log: UndoLog, record: StoredIdempotencyRecord): void {
  removeRow(rows, log, record);
  removeRecordEnd(rows, log, requireRow(rows.idempotencyRecordEnds, record.keyHash));
}

function removeRow(
  { idempotencyRecords: answers, idempotencyRecordsByAge: answersByAge }: OrganizationRows,
  log: UndoLog,
  record: StoredIdempotencyRecord,
): void {
  log.delete(answers, record.keyHash);
  log.change(
    () => answersByAge.remove(record),
    () => answersByAge.add(record),
  );
}

function removeRecordEnd(
  { idempotencyRecordEnds: answerEnds, idempotencyRecordsByEnd: answersByEnd }: OrganizationRows,
  log: UndoLog,
  recordEnd: RecordEnd,
): void {
  log.delete(answerEnds, recordEnd.keyHash);
  log.change(
    () => answersByEnd.remove(recordEnd),
    () => answersByEnd.add(recordEnd),
  );
}
