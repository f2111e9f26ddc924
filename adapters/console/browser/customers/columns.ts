import type { Scope } from "../../../../src/scopes.js";
import { base, may } from "../api/session.js";
import type { SortField } from "./list-query.js";

export type ColumnName = "email" | "phone" | "tags" | "stamps" | "rewards" | "visit" | "wallet" | "createdAt";

interface ColumnKind {
  readonly text: string;
  /** The field that it sorts by; `null` where the list can't be sorted by it. */
  readonly sort: SortField | null;
  /** The scopes of what it reads beside the list. */
  readonly scopes: readonly Scope[];
}

const ofFilter = ["segment:read", "pass:read"] as const;

/** The columns beside the name, in their order. */
export const columnKinds: Readonly<Record<ColumnName, ColumnKind>> = {
  email: { text: "Email", sort: "email", scopes: [] },
  phone: { text: "Phone", sort: null, scopes: [] },
  tags: { text: "Tags", sort: null, scopes: ["segment:read", "user_tag:read"] },
  stamps: { text: "Stamps", sort: null, scopes: [] },
  rewards: { text: "Reward", sort: null, scopes: ofFilter },
  visit: { text: "Last visit", sort: null, scopes: ofFilter },
  wallet: { text: "In a wallet", sort: null, scopes: ofFilter },
  createdAt: { text: "Added", sort: "createdAt", scopes: [] },
};

const isColumn = (name: unknown): name is ColumnName =>
  typeof name === "string" && Object.hasOwn(columnKinds, name);

/** The columns that who is signed in may see. */
export const seenColumns: readonly ColumnName[] = Object.keys(columnKinds)
  .filter(isColumn)
  .filter((name) => may(...columnKinds[name].scopes));

/** The columns that are shown. `tags` are the slugs of those that the column of tags shows; `null` for the oldest. */
export interface ChosenColumns {
  readonly names: readonly ColumnName[];
  readonly tags: readonly string[] | null;
}

const fresh: ChosenColumns = { names: ["email", "stamps", "rewards", "visit", "createdAt"], tags: null };

const KEY = `loyalty-columns ${base}`;

/** The columns that were chosen in this browser last. */
export function keptColumns(): ChosenColumns {
  try {
    const { names, tags }: { readonly names?: unknown; readonly tags?: unknown } = JSON.parse(
      localStorage.getItem(KEY) ?? "{}",
    );
    if (!Array.isArray(names)) return fresh;
    const slugs = Array.isArray(tags) ? tags.filter((slug) => typeof slug === "string") : null;
    return { names: names.filter(isColumn), tags: slugs };
  } catch {
    return fresh;
  }
}

/** Keeps them in this browser, where it lets pages keep anything. */
export function keepColumns(chosen: ChosenColumns): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(chosen));
  } catch {
    // They count until the page is left.
  }
}
