import type { StoredCooldown } from "../../../src/storage/cooldowns.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function putCooldown(
  { cooldownsByName: marks }: OrganizationRows,
  log: UndoLog,
  cooldown: StoredCooldown,
): void {
  log.set(marks, cooldown.name, freezeRow(cooldown));
}

export function removeExpiredCooldowns(
  rows: OrganizationRows,
  log: UndoLog,
  before: number,
  limit: number,
): number {
  const expired = listEarliestFirst(rows).filter(({ until }) => until < before);
  return deleteCooldowns(rows, log, expired.slice(0, limit));
}

export function trimCooldowns(rows: OrganizationRows, log: UndoLog, count: number, limit: number): number {
  const surplus = Math.max(0, rows.cooldownsByName.size - count);
  return surplus === 0
    ? 0
    : deleteCooldowns(rows, log, listEarliestFirst(rows).slice(0, Math.min(surplus, limit)));
}

function listEarliestFirst({ cooldownsByName: marks }: OrganizationRows): StoredCooldown[] {
  return [...marks.values()].sort((a, b) => a.until - b.until || (a.name < b.name ? -1 : 1));
}

function deleteCooldowns(
  { cooldownsByName: marks }: OrganizationRows,
  log: UndoLog,
  cooldowns: readonly StoredCooldown[],
): number {
  for (const { name } of cooldowns) log.delete(marks, name);
  return cooldowns.length;
}
