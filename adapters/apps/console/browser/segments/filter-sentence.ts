import { joins, type Names, phrases } from "../words/en/segment-phrases.js";
import type { Group, Leaf } from "./filter-tree.js";
import { buildCondition } from "./filter-tree.js";

/** Describes a filter as a sentence, such as "Customers who have a reward waiting and whose card is in a wallet." */
export function formatSentence(tree: Group, names: Names): string {
  const clause = formatClause(tree, names);
  return clause === "" ? joins.everybody : joins.whole(clause);
}

/** Describes a filter as a relative clause, such as "who have a reward waiting". Returns an empty string for an empty filter. */
export function formatClause(tree: Group, names: Names): string {
  return describeGroup(tree, names, false);
}

function describeGroup({ operator, leaves, groups }: Group, names: Names, isInner: boolean): string {
  const inner = groups.map((group) => describeGroup(group, names, true)).filter((text) => text !== "");
  const parts = [...leaves.map((leaf) => describeLeaf(leaf, names)), ...inner];
  if (parts.length === 0) return "";
  const word = operator === "AND" ? joins.AND : joins.OR;
  const lastPart = parts.slice(-1).join("");
  const precedingParts = parts.slice(0, -1).join(", ");
  const text = precedingParts === "" ? lastPart : `${precedingParts} ${word} ${lastPart}`;
  const groupClause = operator === "NOT" ? joins.none(text) : text;
  return isInner && (parts.length > 1 || operator === "NOT") ? `(${groupClause})` : groupClause;
}

/**
 * Describes one condition as a relative clause. Returns a placeholder if the condition is incomplete or if the builder has no
 * controls for it.
 */
export function describeLeaf(leaf: Leaf, names: Names): string {
  if (leaf.name === null) return joins.other;
  return buildCondition(leaf) === null ? joins.unfinished : phrases[leaf.name](leaf.values, names);
}
