import type { TagFilter } from "../../../../src/resources/tag-filter.js";

export type Operator = TagFilter["operator"];

/** A filter as it is being built: it may be empty, and each part has an id that it keeps. */
export interface Group {
  readonly id: string;
  readonly operator: Operator;
  readonly slugs: readonly string[];
  readonly groups: readonly Group[];
}

/** The deepest level that the API takes; the whole filter is level 1. */
export const MAX_LEVELS = 32;

const isOperator = (value: unknown): value is Operator =>
  value === "AND" || value === "OR" || value === "NOT";

export function newGroup(operator: Operator = "AND", slugs: readonly string[] = []): Group {
  return { id: crypto.randomUUID(), operator, slugs, groups: [] };
}

/** Returns the filter that a group stands for, without its empty parts; `null` when all of it is empty. */
export function filterOf({ operator, slugs, groups }: Group): TagFilter | null {
  const filters = groups.map(filterOf).filter((filter) => filter !== null);
  if (slugs.length === 0 && filters.length === 0) return null;
  return {
    operator,
    ...(slugs.length > 0 && { conditions: slugs.map((slug) => ({ slug })) }),
    ...(filters.length > 0 && { filters }),
  };
}

/** Reads a filter that someone wrote; `null` when it is none. */
export function groupOf(value: unknown, level = 1): Group | null {
  if (typeof value !== "object" || value === null || level > MAX_LEVELS) return null;
  const { operator, conditions = [], filters = [] }: Record<string, unknown> = { ...value };
  if (!isOperator(operator) || !Array.isArray(conditions) || !Array.isArray(filters)) return null;
  const slugs = conditions.map((condition: unknown) => Object(condition).slug);
  const groups = filters.map((filter: unknown) => groupOf(filter, level + 1));
  if (!slugs.every((slug) => typeof slug === "string") || groups.includes(null)) return null;
  return { ...newGroup(operator, slugs), groups: groups.filter((group) => group !== null) };
}

/** The filter in a text; `null` when it is none. */
export function groupIn(text: string): Group | null {
  try {
    return groupOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Returns the tree with one of its groups changed, wherever it is, or removed when the change gives `null`. */
export function changed(tree: Group, id: string, change: (group: Group) => Group | null): Group {
  if (tree.id === id) return change(tree) ?? newGroup(tree.operator);
  return {
    ...tree,
    groups: tree.groups.flatMap((group) => {
      if (group.id === id) return change(group) ?? [];
      return changed(group, id, change);
    }),
  };
}
