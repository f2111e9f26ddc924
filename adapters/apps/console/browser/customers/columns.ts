import type { Scope } from "../../../../../src/base/scopes.js";
import { base, hasScopes } from "../api/session.js";
import type { SortField } from "./list-query.js";

export type ColumnName = "email" | "phone" | "tags" | "stamps" | "rewards" | "visit" | "wallet" | "createdAt";

interface ColumnKind {
  /** The field to sort by when the user clicks the column's heading, or `null` if the list can't be sorted by this column. */
  readonly sort: SortField | null;
  /** The scopes required to read the column's data. */
  readonly scopes: readonly Scope[];
}

/** The customer list's columns other than the name, in display order, each with its sort field and required scopes. */
export const columnKinds: Readonly<Record<ColumnName, ColumnKind>> = {
  email: { sort: "email", scopes: [] },
  phone: { sort: null, scopes: [] },
  tags: { sort: null, scopes: ["user_tag:read"] },
  stamps: { sort: null, scopes: [] },
  rewards: { sort: null, scopes: ["pass:read"] },
  visit: { sort: null, scopes: ["pass:read"] },
  wallet: { sort: null, scopes: ["pass:read"] },
  createdAt: { sort: "createdAt", scopes: [] },
};

const isColumn = (name: unknown): name is ColumnName =>
  typeof name === "string" && Object.hasOwn(columnKinds, name);

/** The columns of the customer list that the signed-in user is allowed to see. */
export const visibleColumns: readonly ColumnName[] = Object.keys(columnKinds)
  .filter(isColumn)
  .filter((name) => hasScopes(...columnKinds[name].scopes));

const defaultColumns: readonly ColumnName[] = ["email", "stamps", "rewards", "visit", "createdAt"];

const KEY = `loyalty-columns ${base}`;

/** Returns the columns that the user last chose in this browser, or the default columns if the user hasn't chosen any. */
export function loadColumns(): readonly ColumnName[] {
  try {
    const { names }: { readonly names?: unknown } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return Array.isArray(names) ? names.filter(isColumn) : defaultColumns;
  } catch {
    return defaultColumns;
  }
}

/** Stores the chosen columns in this browser. Does nothing if the browser's storage isn't available. */
export function saveColumns(names: readonly ColumnName[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ names }));
  } catch {
    // Without storage, the choice lasts until the user leaves the page.
  }
}
