import { StorageConflict } from "../../src/storage/storage-adapter.js";
import type { StoredAssignment, StoredTag } from "../../src/storage/tags.js";
import { exclude, include } from "./segments.js";
import { byAge } from "./store/order.js";
import { OrdinalSet } from "./store/ordinal-set.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { kept, referred } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function tagsOfUser(rows: OrganizationRows, userOrdinal: number): StoredTag[] {
  return (rows.assignments.get(userOrdinal) ?? []).map(({ tagId }) => referred(rows.tags, tagId));
}

/** By the user's ordinal; a user without tags is missing. */
export function slugsOfUsers(
  rows: OrganizationRows,
  userOrdinals: readonly number[],
): Map<number, readonly string[]> {
  const slugs = new Map<number, readonly string[]>();
  for (const ordinal of userOrdinals) {
    const tags = tagsOfUser(rows, ordinal);
    if (tags.length > 0)
      slugs.set(
        ordinal,
        tags.map(({ slug }) => slug),
      );
  }
  return slugs;
}

export function insertTag(rows: OrganizationRows, log: UndoLog, tag: StoredTag): void {
  if (rows.tagIdsBySlug.has(tag.slug)) throw new StorageConflict("slug");
  log.add(rows.tags, tag.id, kept(tag));
  log.set(rows.tagIdsBySlug, tag.slug, tag.id);
  log.set(rows.holders, tag.id, new OrdinalSet());
}

export function updateTag(rows: OrganizationRows, log: UndoLog, tag: StoredTag): boolean {
  const before = rows.tags.get(tag.id);
  if (before === undefined) return false;
  const { slug, createdAt } = before;
  log.set(rows.tags, tag.id, kept({ ...tag, slug, createdAt }));
  return true;
}

export function deleteTag(rows: OrganizationRows, log: UndoLog, tagId: string): boolean {
  const tag = rows.tags.get(tagId);
  if (tag === undefined) return false;
  for (const ordinal of referred(rows.holders, tagId).above(-1, Number.POSITIVE_INFINITY)) {
    removeAssignment(rows, log, ordinal, tagId);
  }
  log.delete(rows.holders, tagId);
  log.delete(rows.tagIdsBySlug, tag.slug);
  log.delete(rows.tags, tagId);
  return true;
}

export function assignTag(rows: OrganizationRows, log: UndoLog, assignment: StoredAssignment): void {
  const { userOrdinal, tagId } = assignment;
  referred(rows.users, userOrdinal);
  const holders = referred(rows.holders, tagId);
  if (holders.has(userOrdinal)) throw new StorageConflict("assignment");
  const assignments = [...(rows.assignments.get(userOrdinal) ?? []), kept(assignment)];
  log.set(rows.assignments, userOrdinal, assignments.sort(byAge));
  include(log, holders, userOrdinal);
}

/** @returns the added ones. */
export function assignTags(
  rows: OrganizationRows,
  log: UndoLog,
  assignments: readonly StoredAssignment[],
): StoredAssignment[] {
  return assignments.filter((assignment) => {
    referred(rows.users, assignment.userOrdinal);
    const isNew = !referred(rows.holders, assignment.tagId).has(assignment.userOrdinal);
    if (isNew) assignTag(rows, log, assignment);
    return isNew;
  });
}

export function unassignTag(
  rows: OrganizationRows,
  log: UndoLog,
  userOrdinal: number,
  tagId: string,
): boolean {
  const holders = rows.holders.get(tagId);
  if (!holders?.has(userOrdinal)) return false;
  removeAssignment(rows, log, userOrdinal, tagId);
  exclude(log, holders, userOrdinal);
  return true;
}

/** @returns the ordinals of those who had the tag, ascending. */
export function unassignUsers(
  rows: OrganizationRows,
  log: UndoLog,
  tagId: string,
  userOrdinals: readonly number[],
): number[] {
  return userOrdinals.filter((ordinal) => unassignTag(rows, log, ordinal, tagId)).sort((a, b) => a - b);
}

function removeAssignment(rows: OrganizationRows, log: UndoLog, userOrdinal: number, tagId: string): void {
  const assignments = referred(rows.assignments, userOrdinal);
  const left = assignments.filter((assignment) => assignment.tagId !== tagId);
  if (left.length > 0) log.set(rows.assignments, userOrdinal, left);
  else log.delete(rows.assignments, userOrdinal);
}
