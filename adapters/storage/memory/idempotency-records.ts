import type { StoredIdempotencyRecord } from "../../../src/storage/idempotency-records.js";
import type { RecordEnd } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function putIdempotencyRecord(
  rows: OrganizationRows,
  log: UndoLog,
  answer: StoredIdempotencyRecord,
): void {
  const { answerEnds, answersByEnd } = rows;
  const end = (answersByEnd.inOrder.at(-1)?.end ?? 0) + answer.sealed.length;
  insertAnswer(rows, log, answer);
  const { keyHash } = answer;
  const [before, written] = [answerEnds.get(keyHash), { end, keyHash }];
  if (before !== undefined) forgetEnd(rows, log, before);
  log.set(answerEnds, keyHash, written);
  log.change(
    () => answersByEnd.add(written),
    () => answersByEnd.remove(written),
  );
}

/** Inserts the record, replacing any existing record with the same key. */
function insertAnswer(rows: OrganizationRows, log: UndoLog, answer: StoredIdempotencyRecord): void {
  const { answers, answersByAge } = rows;
  const before = answers.get(answer.keyHash);
  if (before !== undefined) removeRow(rows, log, before);
  const row = freezeRow(answer);
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
  const { answersByAge } = rows;
  const end = answersByAge.countBefore({ createdAt: before, keyHash: "" });
  const old = answersByAge.inOrder.slice(0, Math.min(end, limit));
  for (const answer of old) removeAnswer(rows, log, answer);
  return old.length;
}

export function redactIdempotencyRecords(rows: OrganizationRows, log: UndoLog, userId: string): number {
  const known = [...rows.answers.values()].filter((answer) => answer.userId === userId);
  for (const answer of known) insertAnswer(rows, log, { ...answer, fingerprint: "", sealed: "" });
  return known.length;
}

export function trimIdempotencyRecords(
  rows: OrganizationRows,
  log: UndoLog,
  bytes: number,
  limit: number,
): number {
  const { answers, answersByEnd } = rows;
  const newest = answersByEnd.inOrder.at(-1)?.end ?? 0;
  const count = answersByEnd.countBefore({ end: newest - bytes + 1, keyHash: "" });
  const first = answersByEnd.inOrder.slice(0, Math.min(count, limit));
  for (const { keyHash } of first) removeAnswer(rows, log, requireRow(answers, keyHash));
  return first.length;
}

function removeAnswer(rows: OrganizationRows, log: UndoLog, answer: StoredIdempotencyRecord): void {
  removeRow(rows, log, answer);
  forgetEnd(rows, log, requireRow(rows.answerEnds, answer.keyHash));
}

function removeRow(
  { answers, answersByAge }: OrganizationRows,
  log: UndoLog,
  answer: StoredIdempotencyRecord,
): void {
  log.delete(answers, answer.keyHash);
  log.change(
    () => answersByAge.remove(answer),
    () => answersByAge.add(answer),
  );
}

function forgetEnd({ answerEnds, answersByEnd }: OrganizationRows, log: UndoLog, written: RecordEnd): void {
  log.delete(answerEnds, written.keyHash);
  log.change(
    () => answersByEnd.remove(written),
    () => answersByEnd.add(written),
  );
}
