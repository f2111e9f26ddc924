import { compareTexts } from "../../../src/base/values/text.js";
import type { StoredCooldown } from "../../../src/storage/cooldowns.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function putCooldown(
  { cooldownsByName }: OrganizationRows,
  log: UndoLog,
  cooldown: StoredCooldown,
): void {
  log.set(cooldownsByName, cooldown.name, freezeRow(cooldown));
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

function listEarliestFirst({ cooldownsByName }: OrganizationRows): StoredCooldown[] {
  return [...cooldownsByName.values()].sort((a, b) => a.until - b.until || compareTexts(a.name, b.name));
}

function deleteCooldowns(
  { cooldownsByName }: OrganizationRows,
  log: UndoLog,
  cooldowns: readonly StoredCooldown[],
): number {
  for (const { name } of cooldowns) log.delete(cooldownsByName, name);
  return cooldowns.length;
}
