import { compareTexts } from "../../../src/base/values/text.js";
import {
  type ActorFilter,
  HOST_ACTOR,
  type StoredActor,
  type SubjectColumn,
} from "../../../src/storage/actors.js";
import { deleteGrant } from "./grants.js";
import type { StoreWriteContext } from "./port-functions.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";
import { redactDeliveries } from "./webhook-deliveries.js";

export function matchesActor({ actor, subject }: StoredActor, by: ActorFilter | null): boolean {
  if (by === null) return true;
  const text = actor ?? HOST_ACTOR;
  return (by.subject === null || by.subject === subject) && by.parts.every((part) => text.includes(part));
}

export function listSubjects(
  { outbox, ledgers, pointLedgers, audit, grants, tagRemovals }: OrganizationRows,
  column: SubjectColumn,
  after: string,
  limit: number,
): string[] {
  const rows: Record<SubjectColumn, () => Iterable<{ readonly subject: string | null }>> = {
    events: () => outbox,
    stampEntries: () => [...ledgers.values()].flat(),
    pointEntries: () => [...pointLedgers.values()].flat(),
    audit: () => audit,
    grants: () => grants.values(),
    tagRemovals: () => tagRemovals.values(),
  };
  const subjects = new Set<string>();
  for (const { subject } of rows[column]())
    if (subject !== null && compareTexts(subject, after) > 0) subjects.add(subject);
  return [...subjects].sort(compareTexts).slice(0, limit);
}

export function redactSubjects(
  { store, log, organizationId }: StoreWriteContext,
  subjects: readonly string[],
): void {
  const rows = store.rows(organizationId);
  const redactedSubjects = new Set<string | null>(subjects);
  const hasRedactedSubject = ({ subject }: { readonly subject: string | null }) =>
    redactedSubjects.has(subject);
  redactDeliveries(rows, log, new Set(rows.outbox.filter(hasRedactedSubject).map(({ id }) => id)));
  const endedGrants = [...rows.grants.values()].filter(hasRedactedSubject);
  for (const { id } of endedGrants) deleteGrant({ store, log, organizationId }, id);
  const clearSubject = <Row extends StoredActor>(row: Row) => freezeRow({ ...row, subject: null });
  updateSubjectRows(rows.outbox, log, redactedSubjects, clearSubject);
  for (const ledger of rows.ledgers.values()) updateSubjectRows(ledger, log, redactedSubjects, clearSubject);
  for (const ledger of rows.pointLedgers.values())
    updateSubjectRows(ledger, log, redactedSubjects, clearSubject);
  for (const removal of [...rows.tagRemovals.values()].filter(hasRedactedSubject))
    log.set(rows.tagRemovals, removal.ordinal, clearSubject(removal));
  updateSubjectRows(rows.audit, log, redactedSubjects, (entry) =>
    freezeRow({ ...entry, subject: null, salt: null }),
  );
}

function updateSubjectRows<Row extends StoredActor>(
  list: Row[],
  log: UndoLog,
  subjects: ReadonlySet<string | null>,
  change: (row: Row) => Row,
): void {
  for (const [index, row] of list.entries()) {
    if (row.subject === null || !subjects.has(row.subject)) continue;
    log.change(
      () => list.splice(index, 1, change(row)),
      () => list.splice(index, 1, row),
    );
  }
}
