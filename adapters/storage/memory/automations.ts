import {
  type AutomationContent,
  automationJobs,
  automationRecord,
  type StoredAutomation,
  type StoredAutomationCompletion,
  type StoredPastAutomation,
} from "../../../src/storage/automations.js";
import { updated } from "../../../src/storage/record.js";
import { removeJobs } from "./jobs.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function automationVersion(
  { automations, pastAutomations }: OrganizationRows,
  automationId: string,
  version: number,
): AutomationContent | null {
  const current = automations.get(automationId);
  const automation =
    current?.version === version ? current : pastAutomations.get(buildKey(automationId, String(version)));
  if (automation === undefined) return null;
  const { if: filter, after, do: actions, per, creatorId } = automation;
  return { if: filter, after, do: actions, per, creatorId };
}

export function countPastAutomations({ pastAutomations }: OrganizationRows, automationId: string): number {
  return [...pastAutomations.values()].filter((past) => past.automationId === automationId).length;
}

export function findAutomationCompletion(
  { automationCompletions }: OrganizationRows,
  automationId: string,
  userId: string,
): StoredAutomationCompletion | null {
  return automationCompletions.get(buildKey(automationId, userId)) ?? null;
}

export function insertAutomation(
  { automations }: OrganizationRows,
  log: UndoLog,
  automation: StoredAutomation,
): void {
  log.add(automations, automation.id, freezeRow(automation));
}

export function updateAutomation(
  { automations }: OrganizationRows,
  log: UndoLog,
  automation: StoredAutomation,
): boolean {
  const previous = automations.get(automation.id);
  if (previous === undefined) return false;
  log.set(automations, automation.id, freezeRow(updated(automationRecord, previous, automation)));
  return true;
}

export function deleteAutomation(rows: OrganizationRows, log: UndoLog, id: string): boolean {
  const { automations, pastAutomations, automationCompletions } = rows;
  if (!automations.has(id)) return false;
  removeJobs(rows, log, automationJobs, id);
  for (const [key, { automationId }] of [...pastAutomations]) {
    if (automationId === id) log.delete(pastAutomations, key);
  }
  for (const [key, { automationId }] of [...automationCompletions]) {
    if (automationId === id) log.delete(automationCompletions, key);
  }
  return log.delete(automations, id);
}

export function insertPastAutomation(
  { automations, pastAutomations }: OrganizationRows,
  log: UndoLog,
  past: StoredPastAutomation,
): void {
  requireRow(automations, past.automationId);
  log.add(pastAutomations, buildKey(past.automationId, String(past.version)), freezeRow(past));
}

export function removePastAutomations(
  { pastAutomations, automationRuns }: OrganizationRows,
  log: UndoLog,
  automationId: string,
  before: number,
): void {
  const versionsInUse = new Set(
    [...automationRuns.values()]
      .filter((run) => run.automationId === automationId && run.nextAttemptAt !== null)
      .map(({ version }) => version),
  );
  for (const [key, past] of [...pastAutomations]) {
    const isExpired = past.automationId === automationId && past.endedAt < before;
    if (isExpired && !versionsInUse.has(past.version)) log.delete(pastAutomations, key);
  }
}

export function putAutomationCompletion(
  { automations, automationCompletions, ordinalsById }: OrganizationRows,
  log: UndoLog,
  completion: StoredAutomationCompletion,
): void {
  requireRow(automations, completion.automationId);
  requireRow(ordinalsById, completion.userId);
  log.set(automationCompletions, buildKey(completion.automationId, completion.userId), freezeRow(completion));
}

function buildKey(automationId: string, part: string): string {
  return JSON.stringify([automationId, part]);
}
