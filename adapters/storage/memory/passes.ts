import type { ActorFilter } from "../../../src/storage/actors.js";
import type {
  InstallationStatus,
  PassHolder,
  PassToInsert,
  StampEntryWithReversal,
  StoredPass,
  StoredStampCard,
  StoredStampEntry,
} from "../../../src/storage/passes.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import { matchesActor } from "./actors.js";
import { deletePoints, recordPoints } from "./points.js";
import { deletePassEffects } from "./purchases.js";
import { byAge } from "./store/order.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { findByKey, freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function passesOfUsers(rows: OrganizationRows, users: readonly PassHolder[]): StoredPass[] {
  return [...new Set(users.map(({ id }) => id))]
    .flatMap((userId) => rows.passIdsByUser.get(userId) ?? [])
    .map((passId) => requireRow(rows.passes, passId))
    .sort(byAge);
}

export function holdersOf(rows: OrganizationRows, passIds: readonly string[]): Map<string, number> {
  return new Map(
    passIds.flatMap((id) => {
      const pass = rows.passes.get(id);
      return pass === undefined ? [] : [[id, requireRow(rows.ordinalsById, pass.userId)] as const];
    }),
  );
}

export function passesByCode(rows: OrganizationRows, codes: readonly string[]): StoredPass[] {
  return [...new Set(codes)].flatMap((code) => findByKey(rows.passIdsByCode, rows.passes, code) ?? []);
}

export function insertPass(rows: OrganizationRows, log: UndoLog, pass: StoredPass): void {
  const { id, userId, templateId, code } = pass;
  requireRow(rows.ordinalsById, userId);
  requireRow(rows.templates, templateId);
  if (rows.passIdsByCode.has(code)) throw new StorageConflict("code");
  log.add(rows.passes, id, freezePass(pass));
  log.set(rows.passIdsByCode, code, id);
  log.set(rows.passIdsByUser, userId, [...(rows.passIdsByUser.get(userId) ?? []), id]);
  log.set(rows.passCounts, templateId, (rows.passCounts.get(templateId) ?? 0) + 1);
  log.set(rows.ledgers, id, []);
}

export function insertPasses(rows: OrganizationRows, log: UndoLog, passes: readonly PassToInsert[]): void {
  const codes = new Set(passes.map(({ pass }) => pass.code));
  if (codes.size < passes.length || [...codes].some((code) => rows.passIdsByCode.has(code))) {
    throw new StorageConflict("code");
  }
  for (const { pass, entries, points } of passes) {
    insertPass(rows, log, pass);
    for (const entry of entries) if (pass.card !== null) recordStamps(rows, log, pass.card, entry);
    if (points !== undefined) recordPoints(rows, log, points);
  }
}

export function updateInstallation(
  rows: OrganizationRows,
  log: UndoLog,
  passId: string,
  installationStatus: InstallationStatus,
  updatedAt: number,
): boolean {
  const pass = rows.passes.get(passId);
  if (pass === undefined) return false;
  log.set(rows.passes, passId, freezeRow({ ...pass, installationStatus, updatedAt }));
  return true;
}

export function deletePass(rows: OrganizationRows, log: UndoLog, passId: string): boolean {
  const pass = rows.passes.get(passId);
  if (pass === undefined) return false;
  const { userId, templateId, code } = pass;
  const remainingIds = requireRow(rows.passIdsByUser, userId).filter((id) => id !== passId);
  if (remainingIds.length > 0) log.set(rows.passIdsByUser, userId, remainingIds);
  else log.delete(rows.passIdsByUser, userId);
  log.set(rows.passCounts, templateId, requireRow(rows.passCounts, templateId) - 1);
  log.delete(rows.passIdsByCode, code);
  log.delete(rows.ledgers, passId);
  deletePoints(rows, log, passId);
  deletePassEffects(rows, log, passId);
  return log.delete(rows.passes, passId);
}

export function recordStamps(
  rows: OrganizationRows,
  log: UndoLog,
  card: StoredStampCard,
  entry: StoredStampEntry,
): void {
  const pass = requireRow(rows.passes, entry.passId);
  const ledger = requireRow(rows.ledgers, entry.passId);
  if (entry.sequence !== ledger.length + 1) {
    throw new Error(
      `The pass's next stamp entry has the sequence ${ledger.length + 1}, not ${entry.sequence}.`,
    );
  }
  if (entry.reverses !== null && ledger.some(({ reverses }) => reverses === entry.reverses)) {
    throw new Error(`The entry ${entry.reverses} is already reversed.`);
  }
  log.set(rows.passes, pass.id, freezePass({ ...pass, card }));
  log.change(
    () => ledger.push(freezeRow(entry)),
    () => ledger.pop(),
  );
}

export function updateVisits(
  rows: OrganizationRows,
  log: UndoLog,
  passId: string,
  { visits, lastStampAt }: Pick<StoredStampCard, "visits" | "lastStampAt">,
): boolean {
  const pass = rows.passes.get(passId);
  if (pass === undefined || pass.card === null) return false;
  log.set(rows.passes, passId, freezePass({ ...pass, card: { ...pass.card, visits, lastStampAt } }));
  return true;
}

/** Returns up to `limit` of a pass's stamp entries, newest first, after skipping the first `offset`. */
export function listStampEntries(
  rows: OrganizationRows,
  passId: string,
  offset: number,
  limit: number,
  by: ActorFilter | null = null,
): StoredStampEntry[] {
  const ledger = (rows.ledgers.get(passId) ?? []).filter((entry) => matchesActor(entry, by));
  const end = Math.max(0, ledger.length - offset);
  return ledger.slice(Math.max(0, end - limit), end).reverse();
}

export function countStampEntries({ ledgers }: OrganizationRows, passId: string, by: ActorFilter): number {
  return (ledgers.get(passId) ?? []).filter((entry) => matchesActor(entry, by)).length;
}

export function findStampEntry(
  rows: OrganizationRows,
  passId: string,
  entryId: string,
): StampEntryWithReversal | null {
  const ledger = rows.ledgers.get(passId) ?? [];
  const entry = ledger.find(({ id }) => id === entryId);
  return entry === undefined
    ? null
    : { ...entry, isReversed: ledger.some(({ reverses }) => reverses === entryId) };
}

function freezePass(pass: StoredPass): StoredPass {
  return freezeRow({ ...pass, card: pass.card === null ? null : freezeRow(pass.card) });
}
