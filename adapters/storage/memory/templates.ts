import { updated } from "../../../src/storage/record.js";
import {
  type StoredPastProgram,
  type StoredTemplate,
  templateRecord,
} from "../../../src/storage/templates.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function hasPasses(rows: OrganizationRows, templateId: string): boolean {
  return (rows.passCounts.get(templateId) ?? 0) > 0;
}

export function findPastProgram(
  { pastPrograms }: OrganizationRows,
  templateId: string,
  version: number,
): StoredPastProgram | null {
  return pastPrograms.get(buildKey(templateId, version)) ?? null;
}

export function insertTemplate(rows: OrganizationRows, log: UndoLog, template: StoredTemplate): void {
  log.add(rows.templates, template.id, freezeRow(template));
}

export function updateTemplate(rows: OrganizationRows, log: UndoLog, template: StoredTemplate): boolean {
  const previous = rows.templates.get(template.id);
  if (previous === undefined) return false;
  log.set(rows.templates, template.id, freezeRow(updated(templateRecord, previous, template)));
  return true;
}

export function insertPastProgram(
  { templates, pastPrograms }: OrganizationRows,
  log: UndoLog,
  program: StoredPastProgram,
): void {
  requireRow(templates, program.templateId);
  log.add(pastPrograms, buildKey(program.templateId, program.version), freezeRow(program));
}

export function deleteTemplate(rows: OrganizationRows, log: UndoLog, id: string): boolean {
  if (hasPasses(rows, id)) throw new Error(`The template ${id} has passes.`);
  for (const [key, { templateId }] of [...rows.pastPrograms]) {
    if (templateId === id) log.delete(rows.pastPrograms, key);
  }
  return log.delete(rows.templates, id);
}

function buildKey(templateId: string, version: number): string {
  return JSON.stringify([templateId, version]);
}
