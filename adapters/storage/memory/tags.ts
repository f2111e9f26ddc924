import { compareTexts } from "../../../src/base/values/text.js";
import { Bitmap } from "../../../src/storage/bitmap.js";
import { updated } from "../../../src/storage/record.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import {
  type AssignedSlug,
  type NewTag,
  type StoredAssignment,
  type StoredTag,
  type StoredTagRemoval,
  type TagWithMerging,
  tagRecord,
} from "../../../src/storage/tags.js";
import { exclude, include } from "./segments.js";
import { byAge } from "./store/order.js";
import { OrdinalSet } from "./store/ordinal-set.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { findByKey, freezeRow, requireRow } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

export function findTag(rows: OrganizationRows, slug: string): TagWithMerging | null {
  const tag = findByKey(rows.tagOrdinalsBySlug, rows.tags, slug);
  if (tag === null) return null;
  const merging = [...rows.tagRemovals.values()].filter(({ targetOrdinal }) => targetOrdinal === tag.ordinal);
  return { ...tag, merging: merging.length };
}

/**
 * Returns a user's assignments as readers see them, oldest first. An assignment of a removed tag counts as an assignment of its
 * merge target.
 */
function listAssignments(rows: OrganizationRows, userOrdinal: number): readonly StoredAssignment[] {
  const assignments = rows.assignments.get(userOrdinal) ?? [];
  if (rows.tagRemovals.size === 0) return assignments;
  const visible = assignments.flatMap((assignment) => {
    const removal = rows.tagRemovals.get(assignment.tagOrdinal);
    if (removal === undefined) return [assignment];
    const { targetOrdinal: tagOrdinal, createdAt } = removal;
    return tagOrdinal === null ? [] : [{ ...assignment, tagOrdinal, createdAt }];
  });
  const ordinals = new Set<number>();
  return visible.sort(byAge).filter(({ tagOrdinal }) => ordinals.size < ordinals.add(tagOrdinal).size);
}

export function tagsOfUser(rows: OrganizationRows, userOrdinal: number): StoredTag[] {
  return listAssignments(rows, userOrdinal).map(({ tagOrdinal }) => requireRow(rows.tags, tagOrdinal));
}

/** Returns each user's tag slugs, keyed by user ordinal. Users without tags have no entry. */
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

/** Returns the tag assignments of the given users, ordered by `createdAt` (oldest first). */
export function assignmentsOfUsers(rows: OrganizationRows, userOrdinals: readonly number[]): AssignedSlug[] {
  const assignments = [...new Set(userOrdinals)].flatMap((ordinal) => listAssignments(rows, ordinal));
  return assignments.sort(byAge).map(({ userOrdinal, tagOrdinal, createdAt }) => {
    return { userOrdinal, slug: requireRow(rows.tags, tagOrdinal).slug, createdAt };
  });
}

export function tagRemovals(rows: OrganizationRows): StoredTagRemoval[] {
  return [...rows.tagRemovals.values()].sort((a, b) => a.createdAt - b.createdAt || a.ordinal - b.ordinal);
}

export function holdersOfRemovedTags({ tagRemovals, holders }: OrganizationRows): Bitmap {
  return [...tagRemovals.keys()].reduce(
    (all, ordinal) => all.or(requireRow(holders, ordinal).toBitmap()),
    Bitmap.empty,
  );
}

export function organizationsWithTagRemovals(store: Store, limit: number): string[] {
  return [...store.all()]
    .flatMap(([id, { tagRemovals }]) => (tagRemovals.size > 0 ? [id] : []))
    .sort(compareTexts)
    .slice(0, limit);
}

export function insertTag(rows: OrganizationRows, log: UndoLog, newTag: NewTag): StoredTag {
  if (rows.tagOrdinalsBySlug.has(newTag.slug)) throw new StorageConflict("slug");
  const ordinal = rows.nextTagOrdinal;
  const tag = freezeRow({ ...newTag, ordinal });
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
  const previous = rows.tags.get(tag.ordinal);
  if (previous === undefined) return false;
  log.set(rows.tags, tag.ordinal, freezeRow(updated(tagRecord, previous, tag)));
  return true;
}

export function removeTag(rows: OrganizationRows, log: UndoLog, removal: StoredTagRemoval): boolean {
  const { ordinal, targetOrdinal } = removal;
  const tag = rows.tags.get(ordinal);
  if (tag === undefined) return false;
  for (const earlier of rows.tagRemovals.values()) {
    if (earlier.targetOrdinal === ordinal)
      log.set(rows.tagRemovals, earlier.ordinal, freezeRow({ ...earlier, targetOrdinal }));
  }
  log.add(rows.tagRemovals, ordinal, freezeRow(removal));
  log.delete(rows.tagOrdinalsBySlug, tag.slug);
  log.delete(rows.tags, ordinal);
  if (targetOrdinal === null) return true;
  const mergedUsers = requireRow(rows.holders, targetOrdinal)
    .toBitmap()
    .or(requireRow(rows.holders, ordinal).toBitmap());
  log.set(rows.holders, targetOrdinal, OrdinalSet.of(mergedUsers.from(0, Number.POSITIVE_INFINITY)));
  return true;
}

export function endTagRemoval(rows: OrganizationRows, log: UndoLog, ordinal: number): boolean {
  if (!rows.tagRemovals.has(ordinal)) return false;
  log.delete(rows.holders, ordinal);
  log.delete(rows.tagRemovals, ordinal);
  return true;
}

export function assignTag(rows: OrganizationRows, log: UndoLog, assignment: StoredAssignment): void {
  const { userOrdinal, tagOrdinal } = assignment;
  requireRow(rows.users, userOrdinal);
  const holders = requireRow(rows.holders, tagOrdinal);
  if (hasAssignment(rows, assignment)) throw new StorageConflict("assignment");
  const assignments = [...(rows.assignments.get(userOrdinal) ?? []), freezeRow(assignment)];
  log.set(rows.assignments, userOrdinal, assignments.sort(byAge));
  include(log, holders, userOrdinal);
}

/**
 * Checks the assignments instead of the tag's set, because the set may include users whose assignment still names a tag being
 * merged into it.
 */
function hasAssignment(rows: OrganizationRows, { userOrdinal, tagOrdinal }: StoredAssignment): boolean {
  const assignments = rows.assignments.get(userOrdinal) ?? [];
  return assignments.some((assignment) => assignment.tagOrdinal === tagOrdinal);
}

/**
 * Assigns tags to users. Skips assignments that already exist.
 * @returns the assignments that were added.
 */
export function assignTags(
  rows: OrganizationRows,
  log: UndoLog,
  assignments: readonly StoredAssignment[],
): StoredAssignment[] {
  return assignments.filter((assignment) => {
    requireRow(rows.users, assignment.userOrdinal);
    requireRow(rows.holders, assignment.tagOrdinal);
    const isNew = !hasAssignment(rows, assignment);
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
  const assignments = rows.assignments.get(userOrdinal) ?? [];
  const remaining = assignments.filter((assignment) => assignment.tagOrdinal !== tagOrdinal);
  if (remaining.length === assignments.length) return false;
  if (remaining.length > 0) log.set(rows.assignments, userOrdinal, remaining);
  else log.delete(rows.assignments, userOrdinal);
  exclude(log, requireRow(rows.holders, tagOrdinal), userOrdinal);
  return true;
}

/**
 * Removes a tag from the given users.
 * @returns the ordinals of the users who had the tag, in ascending order.
 */
export function unassignUsers(
  rows: OrganizationRows,
  log: UndoLog,
  tagOrdinal: number,
  userOrdinals: readonly number[],
): number[] {
  const unassignedOrdinals = userOrdinals.filter((ordinal) => unassignTag(rows, log, ordinal, tagOrdinal));
  const holders = rows.holders.get(tagOrdinal);
  // A removed tag's set may include users who only have a tag that was being merged into it.
  for (const ordinal of userOrdinals) if (holders?.has(ordinal)) exclude(log, holders, ordinal);
  return unassignedOrdinals.sort((a, b) => a - b);
}
