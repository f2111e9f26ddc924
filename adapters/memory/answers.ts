import type { StoredAnswer } from "../../src/storage/answers.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { kept } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function putAnswer(rows: OrganizationRows, log: UndoLog, answer: StoredAnswer): void {
  const { answers, answersByAge } = rows;
  const before = answers.get(answer.keyHash);
  if (before !== undefined) removeAnswer(rows, log, before);
  const row = kept(answer);
  log.set(answers, row.keyHash, row);
  log.change(
    () => answersByAge.add(row),
    () => answersByAge.remove(row),
  );
}

export function removeAnswers(rows: OrganizationRows, log: UndoLog, before: number, limit: number): number {
  const { answersByAge } = rows;
  const end = answersByAge.countBefore({ createdAt: before, keyHash: "" });
  const old = answersByAge.inOrder.slice(0, Math.min(end, limit));
  for (const answer of old) removeAnswer(rows, log, answer);
  return old.length;
}

export function forgetAnswers(rows: OrganizationRows, log: UndoLog, userId: string): number {
  const known = [...rows.answers.values()].filter((answer) => answer.userId === userId);
  for (const answer of known) putAnswer(rows, log, { ...answer, fingerprint: "", sealed: "" });
  return known.length;
}

function removeAnswer({ answers, answersByAge }: OrganizationRows, log: UndoLog, answer: StoredAnswer): void {
  log.delete(answers, answer.keyHash);
  log.change(
    () => answersByAge.remove(answer),
    () => answersByAge.add(answer),
  );
}
