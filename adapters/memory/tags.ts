import { updated } from "../../src/storage/record.js";
import { StorageConflict } from "../../src/storage/storage-adapter.js";
import {
  type AssignedSlug,
  type NewTag,
  type StoredAssignment,
  type StoredTag,
  tagRecord,
} from "../../src/storage/tags.js";
import { exclude, include } from "./segments.js";
import { byAge } from "./store/order.js";
import { OrdinalSet } from "./store/ordinal-set.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { kept, referred } from "./store/rows.js";
import type { UndoLog } from "./store/undo-log.js";

export function tagsOfUser(rows: OrganizationRows, userOrdinal: number): StoredTag[] {
  return (rows.assignments.get(userOrdinal) ?? []).map(({ tagOrdinal }) => referred(rows.tags, tagOrdinal));
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

/** Oldest assignment first. */
export function assignmentsOfUsers(rows: OrganizationRows, userOrdinals: readonly number[]): AssignedSlug[] {
  const assignments = [...new Set(userOrdinals)].flatMap((ordinal) => rows.assignments.get(ordinal) ?? []);
  return assignments.sort(byAge).map(({ userOrdinal, tagOrdinal, createdAt }) => {
    return { userOrdinal, slug: referred(rows.tags, tagOrdinal).slug, createdAt };
  });
}

export function insertTag(rows: OrganizationRows, log: UndoLog, added: NewTag): StoredTag {
  if (rows.tagOrdinalsBySlug.has(added.slug)) throw new StorageConflict("slug");
  const ordinal = rows.nextTagOrdinal;
  const tag = kept({ ...added, ordinal });
  log.change(
    () => Object.assign(rows, { nextTagOrdinal: ordinal + 1 }),
    () => Object.assign(rows, { nextTagOrdinal: ordinal }),
  );
  log.add(rows.tags, ordinal, tag);
  log.set(rows.tagOrdinalsBySlug, tag.slug, ordinal);
  log.set(rows.holders, ordinal, new OrdinalSet());
  return tag;
}

export function updateTag(rows: OrganizationRows, log: UndoLog, tag: StoredTag): boolean {
  const before = rows.tags.get(tag.ordinal);
  if (before === undefined) return false;
  log.set(rows.tags, tag.ordinal, kept(updated(tagRecord, before, tag)));
  return true;
}

export function deleteTag(rows: OrganizationRows, log: UndoLog, tagOrdinal: number): boolean {
  const tag = rows.tags.get(tagOrdinal);
  if (tag === undefined) return false;
  for (const ordinal of referred(rows.holders, tagOrdinal).above(-1, Number.POSITIVE_INFINITY)) {
    removeAssignment(rows, log, ordinal, tagOrdinal);
  }
  log.delete(rows.holders, tagOrdinal);
  log.delete(rows.tagOrdinalsBySlug, tag.slug);
  log.delete(rows.tags, tagOrdinal);
  return true;
}

export function assignTag(rows: OrganizationRows, log: UndoLog, assignment: StoredAssignment): void {
  const { userOrdinal, tagOrdinal } = assignment;
  referred(rows.users, userOrdinal);
  const holders = referred(rows.holders, tagOrdinal);
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
    const isNew = !referred(rows.holders, assignment.tagOrdinal).has(assignment.userOrdinal);
    if (isNew) assignTag(rows, log, assignment);
    return isNew;
  });
}

export function unassignTag(
  rows: OrganizationRows,
  log: UndoLog,
  userOrdinal: number,
  tagOrdinal: number,
): boolean {
  const holders = rows.holders.get(tagOrdinal);
  if (!holders?.has(userOrdinal)) return false;
  removeAssignment(rows, log, userOrdinal, tagOrdinal);
  exclude(log, holders, userOrdinal);
  return true;
}

/** @returns the ordinals of those who had the tag, ascending. */
export function unassignUsers(
  rows: OrganizationRows,
  log: UndoLog,
  tagOrdinal: number,
  userOrdinals: readonly number[],
): number[] {
  return userOrdinals.filter((ordinal) => unassignTag(rows, log, ordinal, tagOrdinal)).sort((a, b) => a - b);
}

function removeAssignment(
  rows: OrganizationRows,
  log: UndoLog,
  userOrdinal: number,
  tagOrdinal: number,
): void {
  const assignments = referred(rows.assignments, userOrdinal);
  const left = assignments.filter((assignment) => assignment.tagOrdinal !== tagOrdinal);
  if (left.length > 0) log.set(rows.assignments, userOrdinal, left);
  else log.delete(rows.assignments, userOrdinal);
}
