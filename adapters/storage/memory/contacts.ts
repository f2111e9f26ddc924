import { compareTexts } from "../../../src/base/values/text.js";
import type { ContactQuery } from "../../../src/storage/contacts.js";
import type { StoredUser } from "../../../src/storage/users.js";
import { selectFirst } from "./store/order.js";
import type { OrganizationRows, UserRow } from "./store/organization-rows.js";

export function listContacts(
  rows: OrganizationRows,
  query: ContactQuery,
): { users: StoredUser[]; total: number } {
  const matches: UserRow[] = [];
  for (const row of rows.users.values()) {
    if (query.among?.has(row.user.ordinal) === false) continue;
    if (hasText(row, query.search) && hasStamps(rows, row, query.stamps)) matches.push(row);
  }
  const page = selectFirst(matches, query.offset + query.limit, createComparison(query.sort)).slice(
    query.offset,
  );
  return { users: page.map(({ user }) => user), total: matches.length };
}

function hasText({ folds }: UserRow, text: string | null): boolean {
  return (
    text === null ||
    (folds.email?.includes(text) ?? false) ||
    (folds.writtenEmail?.includes(text) ?? false) ||
    (folds.name?.includes(text) ?? false) ||
    (folds.phone?.includes(text) ?? false) ||
    (folds.externalId?.includes(text) ?? false)
  );
}

function hasStamps(rows: OrganizationRows, { user }: UserRow, stamps: ContactQuery["stamps"]): boolean {
  if (stamps === null) return true;
  const { templateId, min, max } = stamps;
  return (rows.passIdsByUser.get(user.id) ?? []).some((passId) => {
    const pass = rows.passes.get(passId);
    if (pass?.templateId !== templateId || pass.card === null) return false;
    const { currentStamps } = pass.card;
    return (min === null || currentStamps >= min) && (max === null || currentStamps <= max);
  });
}

function createComparison({ field, direction }: ContactQuery["sort"]): (a: UserRow, b: UserRow) => number {
  const sign = direction === "asc" ? 1 : -1;
  const compareIds = (a: UserRow, b: UserRow) => sign * compareTexts(a.user.id, b.user.id);
  if (field === "createdAt" || field === "updatedAt") {
    return (a, b) => sign * (a.user[field] - b.user[field]) || compareIds(a, b);
  }
  return (a, b) => {
    const [x, y] = [a.folds[field], b.folds[field]];
    if (x === y) return compareIds(a, b);
    // Nulls sort last in both directions.
    if (x === null) return 1;
    if (y === null) return -1;
    return sign * compareTexts(x, y);
  };
}
