import { updated } from "../../../src/storage/record.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import {
  type StoredUser,
  type UserFolds,
  type UserToInsert,
  userRecord,
} from "../../../src/storage/users.js";
import { removeUserRuns } from "./automation-runs.js";
import { deletePass } from "./passes.js";
import { removeMember } from "./saved-segments.js";
import { exclude, include } from "./segments.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { findByKey, freezeRow, requireRow } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function findUser(rows: OrganizationRows, id: string): StoredUser | null {
  return findByKey(rows.ordinalsById, rows.users, id)?.user ?? null;
}

export function listUsersAt(rows: OrganizationRows, ordinals: readonly number[]): StoredUser[] {
  return ordinals.flatMap((ordinal) => rows.users.get(ordinal)?.user ?? []);
}

export function usersByOrdinal(rows: OrganizationRows, ordinals: readonly number[]): StoredUser[] {
  return listUsersAt(
    rows,
    [...new Set(ordinals)].sort((a, b) => a - b),
  );
}

export function usersById(rows: OrganizationRows, ids: readonly string[]): StoredUser[] {
  return usersByOrdinal(
    rows,
    ids.flatMap((id) => rows.ordinalsById.get(id) ?? []),
  );
}

export function usersByExternalId(rows: OrganizationRows, externalIds: readonly string[]): StoredUser[] {
  return usersByOrdinal(
    rows,
    externalIds.flatMap((externalId) => rows.ordinalsByExternalId.get(externalId) ?? []),
  );
}

export function usersByEmail(rows: OrganizationRows, emailFolds: readonly string[]): StoredUser[] {
  return usersByOrdinal(
    rows,
    emailFolds.flatMap((emailFold) => rows.ordinalsByEmail.get(emailFold) ?? []),
  );
}

export function insertUsers(rows: OrganizationRows, log: UndoLog, users: readonly UserToInsert[]): number {
  for (const [index, { user, folds }] of users.entries()) {
    if (findTakenKey(rows, user, folds) !== null) return index;
    insertUser(rows, log, user, folds);
  }
  return users.length;
}

export function insertUser(rows: OrganizationRows, log: UndoLog, user: StoredUser, folds: UserFolds): void {
  const { id, ordinal, createdAt } = user;
  const previous = rows.sequence;
  if (ordinal !== previous.ordinal) {
    throw new Error(`The next user's ordinal is ${previous.ordinal}, not ${ordinal}.`);
  }
  assertKeysAvailable(rows, user, folds);
  log.add(rows.ordinalsById, id, ordinal);
  const sequence = freezeRow({ ordinal: ordinal + 1, newest: freezeRow({ id, createdAt }) });
  log.change(
    () => {
      rows.sequence = sequence;
    },
    () => {
      rows.sequence = previous;
    },
  );
  log.set(rows.users, ordinal, { user: freezeRow(user), folds: freezeRow(folds) });
  addKeys(rows, log, user, folds);
  include(log, rows.everybody, ordinal);
}

export function updateUser(
  rows: OrganizationRows,
  log: UndoLog,
  user: StoredUser,
  folds: UserFolds,
): boolean {
  const row = findByKey(rows.ordinalsById, rows.users, user.id);
  if (row === null) return false;
  const { ordinal } = row.user;
  const updatedUser = freezeRow(updated(userRecord, row.user, user));
  assertKeysAvailable(rows, updatedUser, folds);
  removeKeys(rows, log, row.user, row.folds);
  log.set(rows.users, ordinal, { user: updatedUser, folds: freezeRow(folds) });
  addKeys(rows, log, updatedUser, folds);
  return true;
}

export function deleteUser(rows: OrganizationRows, log: UndoLog, id: string): boolean {
  const row = findByKey(rows.ordinalsById, rows.users, id);
  if (row === null) return false;
  const { ordinal } = row.user;
  for (const passId of rows.passIdsByUser.get(id) ?? []) deletePass(rows, log, passId);
  for (const { tagOrdinal } of rows.assignments.get(ordinal) ?? []) {
    exclude(log, requireRow(rows.holders, tagOrdinal), ordinal);
    const target = rows.tagRemovals.get(tagOrdinal)?.targetOrdinal ?? null;
    if (target !== null) exclude(log, requireRow(rows.holders, target), ordinal);
  }
  exclude(log, rows.everybody, ordinal);
  log.delete(rows.assignments, ordinal);
  removeMember(rows, log, ordinal);
  removeKeys(rows, log, row.user, row.folds);
  log.delete(rows.subscriptions, id);
  removeUserRuns(rows, log, id);
  log.delete(rows.ordinalsById, id);
  log.delete(rows.users, ordinal);
  return true;
}

function assertKeysAvailable(rows: OrganizationRows, user: StoredUser, folds: UserFolds): void {
  const conflict = findTakenKey(rows, user, folds);
  if (conflict !== null) throw new StorageConflict(conflict);
}

/** Returns the first of the user's keys that another user already has. */
function findTakenKey(
  rows: OrganizationRows,
  { ordinal, externalId }: StoredUser,
  { email }: UserFolds,
): "email" | "externalId" | null {
  const isOther = (owner: number | undefined) => owner !== undefined && owner !== ordinal;
  if (email !== null && isOther(rows.ordinalsByEmail.get(email))) return "email";
  if (externalId !== null && isOther(rows.ordinalsByExternalId.get(externalId))) return "externalId";
  return null;
}

function addKeys(rows: OrganizationRows, log: UndoLog, user: StoredUser, folds: UserFolds): void {
  if (folds.email !== null) log.set(rows.ordinalsByEmail, folds.email, user.ordinal);
  if (user.externalId !== null) log.set(rows.ordinalsByExternalId, user.externalId, user.ordinal);
}

function removeKeys(rows: OrganizationRows, log: UndoLog, user: StoredUser, folds: UserFolds): void {
  if (folds.email !== null) log.delete(rows.ordinalsByEmail, folds.email);
  if (user.externalId !== null) log.delete(rows.ordinalsByExternalId, user.externalId);
}
