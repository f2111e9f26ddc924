import { type ActorFilter, NOBODY, type StoredActor } from "../../src/storage/actors.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { kept } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function isBy({ actor, subject }: StoredActor, by: ActorFilter | null): boolean {
  if (by === null) return true;
  const text = actor ?? NOBODY;
  return (by.subject === null || by.subject === subject) && by.parts.every((part) => text.includes(part));
}

export function forgetSubjects(rows: OrganizationRows, log: UndoLog, subjects: readonly string[]): void {
  const forgotten = new Set<string | null>(subjects);
  const withoutSubject = <Row extends StoredActor>(row: Row) => kept({ ...row, subject: null });
  replace(rows.outbox, log, forgotten, withoutSubject);
  for (const ledger of rows.ledgers.values()) replace(ledger, log, forgotten, withoutSubject);
  replace(rows.audit, log, forgotten, (entry) => kept({ ...entry, subject: null, salt: null }));
}

function replace<Row extends StoredActor>(
  list: Row[],
  log: UndoLog,
  forgotten: ReadonlySet<string | null>,
  changed: (row: Row) => Row,
): void {
  for (const [at, before] of list.entries()) {
    if (before.subject === null || !forgotten.has(before.subject)) continue;
    log.change(
      () => list.splice(at, 1, changed(before)),
      () => list.splice(at, 1, before),
    );
  }
}
