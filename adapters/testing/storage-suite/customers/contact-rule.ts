import type { ContactQuery, ContactSortField } from "../../../../src/storage/contacts.js";
import type { StoredPass } from "../../../../src/storage/passes.js";
import type { StoredUser, UserFolds } from "../../../../src/storage/users.js";
import { buildUserFolds } from "../kit/records.js";

/* A second, deliberately simple implementation of the contact list's rules, to compare storages with. */

export type Direction = ContactQuery["sort"]["direction"];

export const sortFields: readonly ContactSortField[] = [
  "createdAt",
  "updatedAt",
  "email",
  "name",
  "externalId",
];
export const directions: readonly Direction[] = ["asc", "desc"];

/** Compares strings by code point, which gives the same order as comparing their UTF-8 bytes. */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Caches users' folds, because folding is the slowest part of these tests. */
const foldCache = new WeakMap<StoredUser, UserFolds>();

function getFolds(user: StoredUser): UserFolds {
  const folds = foldCache.get(user) ?? buildUserFolds(user);
  foldCache.set(user, folds);
  return folds;
}

/**
 * Returns a comparator for sorting users by a field. Nulls come last in both directions, and ties are broken by ID in the given
 * direction.
 */
export function compareBy(field: ContactSortField, direction: Direction) {
  const sign = direction === "asc" ? 1 : -1;
  return (a: StoredUser, b: StoredUser): number => {
    const isTime = field === "createdAt" || field === "updatedAt";
    const [x, y] = isTime ? [a[field], b[field]] : [getFolds(a)[field], getFolds(b)[field]];
    if (x === null || y === null) {
      if (x !== y) return x === null ? 1 : -1;
    } else {
      const order = typeof x === "number" ? x - Number(y) : compareTexts(x, String(y));
      if (order !== 0) return sign * order;
    }
    return sign * compareTexts(a.id, b.id);
  };
}

/** Computes the expected page of a contact list from all users and passes. */
export function listExpectedContacts(
  users: readonly StoredUser[],
  passes: readonly StoredPass[],
  { search, stamps, sort, offset, limit }: ContactQuery,
): { users: StoredUser[]; total: number } {
  const expectedUsers = users.filter(
    (user) =>
      (search === null || hasText(user, search)) && (stamps === null || hasStamps(user, passes, stamps)),
  );
  expectedUsers.sort(compareBy(sort.field, sort.direction));
  return { users: expectedUsers.slice(offset, offset + limit), total: expectedUsers.length };
}

function hasText(user: StoredUser, term: string): boolean {
  return Object.values(getFolds(user)).some((text) => text?.includes(term));
}

function hasStamps(
  { id }: StoredUser,
  passes: readonly StoredPass[],
  { templateId, min, max }: NonNullable<ContactQuery["stamps"]>,
): boolean {
  return passes.some(
    ({ userId, templateId: passTemplateId, card }) =>
      userId === id &&
      passTemplateId === templateId &&
      card !== null &&
      card.currentStamps >= (min ?? 0) &&
      card.currentStamps <= (max ?? Number.POSITIVE_INFINITY),
  );
}
