import { compareTexts } from "../../../src/base/values/text.js";
import {
  type AutomationRunOwner,
  type AutomationRunPage,
  type AutomationRunQuery,
  automationRunRecord,
  type StoredAutomationRun,
} from "../../../src/storage/automations.js";
import { updated } from "../../../src/storage/record.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function isWaiting({ status }: Pick<StoredAutomationRun, "status">): boolean {
  return status === "WAITING";
}

export function listAutomationRuns(
  { automationRuns }: OrganizationRows,
  owner: AutomationRunOwner,
  { status, page, size }: AutomationRunQuery,
): AutomationRunPage {
  const matches = [...automationRuns.values()]
    .filter((run) =>
      "userId" in owner ? run.userId === owner.userId : run.automationId === owner.automationId,
    )
    .filter((run) => status === null || run.status === status)
    .sort((a, b) => byAge(b, a));
  return { items: matches.slice(page * size, (page + 1) * size), total: matches.length };
}

export function dueAutomationRuns(
  rows: OrganizationRows,
  automationId: string,
  now: number,
  limit: number,
): StoredAutomationRun[] {
  return listRuns(rows, automationId)
    .filter((run) => getDueTime(run) <= now)
    .sort((a, b) => getDueTime(a) - getDueTime(b) || compareTexts(a.id, b.id))
    .slice(0, limit);
}

export function nextAutomationRunAt(rows: OrganizationRows, automationId: string): number | null {
  const first = listRuns(rows, automationId).reduce(
    (earliest, run) => Math.min(earliest, getDueTime(run)),
    Infinity,
  );
  return first === Infinity ? null : first;
}

export function countAutomationRuns(
  { automationRuns }: OrganizationRows,
  userId: string,
  since: number,
): number {
  return [...automationRuns.values()].filter(
    (run) =>
      run.userId === userId && run.updatedAt > since && (run.status === "DONE" || run.status === "FAILED"),
  ).length;
}

export function countWaitingRuns({ automationRuns }: OrganizationRows): number {
  return [...automationRuns.values()].filter(isWaiting).length;
}

export function insertAutomationRuns(
  { automationRuns, runIdsByOccasion, ordinalsById }: OrganizationRows,
  log: UndoLog,
  runs: readonly StoredAutomationRun[],
): string[] {
  const addedIds: string[] = [];
  for (const run of runs) {
    const occasionKey = buildOccasionKey(run);
    if (runIdsByOccasion.has(occasionKey)) continue;
    requireRow(ordinalsById, run.userId);
    log.add(automationRuns, run.id, freezeRow(run));
    log.set(runIdsByOccasion, occasionKey, run.id);
    addedIds.push(run.id);
  }
  return addedIds;
}

export function updateAutomationRuns(
  { automationRuns }: OrganizationRows,
  log: UndoLog,
  runs: readonly StoredAutomationRun[],
): void {
  for (const run of runs) {
    const previous = automationRuns.get(run.id);
    if (previous !== undefined)
      log.set(automationRuns, run.id, freezeRow(updated(automationRunRecord, previous, run)));
  }
}

export function skipWaitingRuns(
  rows: OrganizationRows,
  log: UndoLog,
  automationId: string,
  reason: string,
  updatedAt: number,
): number {
  const waiting = listRuns(rows, automationId).filter(isWaiting);
  const skipped = waiting.map((run) => ({
    ...run,
    status: "SKIPPED" as const,
    reason,
    nextAttemptAt: null,
    updatedAt,
  }));
  updateAutomationRuns(rows, log, skipped);
  return skipped.length;
}

export function removeAutomationRuns(
  rows: OrganizationRows,
  log: UndoLog,
  before: number,
  limit: number,
): number {
  const old = [...rows.automationRuns.values()]
    .filter((run) => run.createdAt < before && run.nextAttemptAt === null)
    .sort(byAge)
    .slice(0, limit);
  for (const run of old) removeRun(rows, log, run);
  return old.length;
}

/** Removes a deleted user's automation runs and completion records. */
export function removeUserRuns(rows: OrganizationRows, log: UndoLog, userId: string): void {
  for (const run of [...rows.automationRuns.values()]) {
    if (run.userId === userId) removeRun(rows, log, run);
  }
  for (const [key, completion] of [...rows.automationCompletions]) {
    if (completion.userId === userId) log.delete(rows.automationCompletions, key);
  }
}

function removeRun(
  { automationRuns, runIdsByOccasion }: OrganizationRows,
  log: UndoLog,
  run: StoredAutomationRun,
): void {
  log.delete(runIdsByOccasion, buildOccasionKey(run));
  log.delete(automationRuns, run.id);
}

function listRuns({ automationRuns }: OrganizationRows, automationId: string): StoredAutomationRun[] {
  return [...automationRuns.values()].filter((run) => run.automationId === automationId);
}

function getDueTime({ nextAttemptAt }: StoredAutomationRun): number {
  return nextAttemptAt ?? Infinity;
}

function buildOccasionKey({ automationId, userId, occasion }: StoredAutomationRun): string {
  return JSON.stringify([automationId, userId, occasion]);
}
