import type { SegmentCondition, SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { LeafName } from "../../../../../src/segments/leaf-schema.js";
import { type ControlValues, findIncompleteControl } from "./leaf-kind.js";
import { leafKinds } from "./leaf-kinds.js";
import { isSameJson } from "./leaf-values.js";

export type Operator = SegmentFilter["operator"];

/** A condition in the filter builder. */
export interface Leaf {
  readonly id: string;
  /**
   * The condition's kind, or `null` if the builder has no controls for the condition. In that case, the condition is kept exactly
   * as written.
   */
  readonly name: LeafName | null;
  readonly values: ControlValues;
  readonly condition: SegmentCondition | null;
}

/**
 * A filter's root or a nested group in the filter builder. Unlike an API filter, it can be empty. Group and condition IDs stay the
 * same during editing.
 */
export interface Group {
  readonly id: string;
  readonly operator: Operator;
  readonly leaves: readonly Leaf[];
  readonly groups: readonly Group[];
}

/** Maximum nesting depth that the API accepts, counting the filter's root as level 1. */
export const MAX_LEVELS = 32;

const isOperator = (value: unknown): value is Operator =>
  value === "AND" || value === "OR" || value === "NOT";

const isLeafName = (name: string): name is LeafName => Object.hasOwn(leafKinds, name);

export function createGroup(operator: Operator = "AND"): Group {
  return { id: crypto.randomUUID(), operator, leaves: [], groups: [] };
}

export function createLeaf(name: LeafName, values: ControlValues = leafKinds[name].fresh): Leaf {
  return { id: crypto.randomUUID(), name, values, condition: null };
}

/** Converts a leaf to the condition that the API expects. Returns `null` if the leaf is incomplete. */
export function buildCondition({ name, values, condition }: Leaf): SegmentCondition | null {
  if (name === null) return condition;
  const kind = leafKinds[name];
  return findIncompleteControl(kind, values) === undefined ? kind.write(values) : null;
}

/** Returns a filter that contains only the given leaf's condition, or `null` if the leaf is incomplete. */
export function buildLeafFilter(leaf: Leaf): SegmentFilter | null {
  const condition = buildCondition(leaf);
  return condition === null ? null : { operator: "AND", conditions: [condition] };
}

/**
 * Converts a group to the filter that the API expects, leaving out empty groups. Returns `null` if any condition is incomplete or
 * there are no conditions at all.
 */
export function buildFilter(group: Group): SegmentFilter | null {
  return isFinished(group) ? buildFinishedFilter(group) : null;
}

/** Returns whether every condition in a group and its nested groups is complete. */
export function isFinished({ leaves, groups }: Group): boolean {
  return leaves.every((leaf) => buildCondition(leaf) !== null) && groups.every(isFinished);
}

function buildFinishedFilter({ operator, leaves, groups }: Group): SegmentFilter | null {
  const conditions = leaves.map(buildCondition).filter((condition) => condition !== null);
  const filters = groups.map(buildFinishedFilter).filter((filter) => filter !== null);
  if (conditions.length === 0 && filters.length === 0) return null;
  return { operator, ...(conditions.length > 0 && { conditions }), ...(filters.length > 0 && { filters }) };
}

/**
 * Converts a parsed JSON value, which a user might have written by hand, to a group. Returns `null` if the value is malformed or
 * nested too deeply.
 */
export function parseGroup(value: unknown, level = 1): Group | null {
  if (typeof value !== "object" || value === null || level > MAX_LEVELS) return null;
  const { operator, conditions = [], filters = [] }: Record<string, unknown> = { ...value };
  if (!isOperator(operator) || !Array.isArray(conditions) || !Array.isArray(filters)) return null;
  const leaves = conditions.map(parseLeaf);
  const groups = filters.map((filter: unknown) => parseGroup(filter, level + 1));
  if (leaves.includes(null) || groups.includes(null)) return null;
  return {
    ...createGroup(operator),
    leaves: leaves.filter((leaf) => leaf !== null),
    groups: groups.filter((group) => group !== null),
  };
}

/**
 * Converts a parsed JSON value, which a user might have written by hand, to a condition. Returns `null` if the value isn't an
 * object. The API detects any other errors.
 */
export function parseLeaf(condition: unknown): Leaf | null {
  if (!isWritten(condition)) return null;
  const unparsedLeaf: Leaf = { id: crypto.randomUUID(), name: null, values: {}, condition: condition };
  const [[name, body] = ["", null], ...others] = Object.entries(condition);
  if (others.length > 0 || !isLeafName(name)) return unparsedLeaf;
  const values = leafKinds[name].read(
    typeof body === "object" && body !== null ? { ...body } : { value: body },
  );
  const leaf = createLeaf(name, values);
  const written = buildCondition(leaf)?.[name];
  return isSameJson(written, withDefaults(name, body)) ? leaf : unparsedLeaf;
}

/** Checks only that it is an object. The API reports any other error. */
function isWritten(condition: unknown): condition is SegmentCondition {
  return typeof condition === "object" && condition !== null && !Array.isArray(condition);
}

/** Adds the default bound that the API adds to these conditions. */
function withDefaults(name: LeafName, body: unknown): unknown {
  const hasDefault = name === "rewards" || name === "completions";
  return hasDefault && typeof body === "object" ? { min: 1, ...body } : body;
}

/** Parses JSON text into a group. Returns `null` if the text isn't valid JSON or isn't a well-formed filter. */
export function parseGroupText(text: string): Group | null {
  try {
    return parseGroup(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Returns a copy of a tree in which the given group, at any depth, is replaced by the result of `change`. If `change` returns
 * `null`, the group is removed. The root can't be removed, so it is emptied instead.
 * @param id the ID of the group to replace.
 */
export function updateGroup(tree: Group, id: string, change: (group: Group) => Group | null): Group {
  if (tree.id === id) return change(tree) ?? createGroup(tree.operator);
  return {
    ...tree,
    groups: tree.groups.flatMap((group) => {
      if (group.id === id) return change(group) ?? [];
      return updateGroup(group, id, change);
    }),
  };
}

/** Returns a filter's groups at all levels, starting with the root. */
export function listGroups(tree: Group): readonly Group[] {
  return [tree, ...tree.groups.flatMap(listGroups)];
}
