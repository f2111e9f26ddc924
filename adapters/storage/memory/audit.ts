import type { StoredAuditEntry } from "../../../src/storage/audit.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function listAudit({ audit }: OrganizationRows, after: number, limit: number): StoredAuditEntry[] {
  return audit.filter(({ sequence }) => sequence > after).slice(0, limit);
}

export function appendAudit(
  { audit }: OrganizationRows,
  log: UndoLog,
  entry: StoredAuditEntry,
  maxEntries: number,
): void {
  if (audit.some(({ sequence }) => sequence === entry.sequence)) {
    throw new Error(`An entry with the sequence ${entry.sequence} already exists.`);
  }
  const previous = [...audit];
  log.change(
    () => {
      audit.push(freezeRow(entry));
      while ((audit[0]?.sequence ?? entry.sequence) <= entry.sequence - maxEntries) audit.shift();
    },
    () => {
      audit.splice(0, audit.length, ...previous);
    },
  );
}
