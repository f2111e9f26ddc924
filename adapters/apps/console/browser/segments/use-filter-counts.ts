import { useEffect, useRef, useState } from "preact/hooks";
import { createCalls } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { type Count, FilterCounts } from "./filter-counts.js";
import { buildFilter, buildLeafFilter, type Group, listGroups } from "./filter-tree.js";

/** The number of customers who match each part of a filter, keyed by part ID. */
export type NodeCounts = ReadonlyMap<string, Count>;

const countMatches = async (text: string, signal: AbortSignal) => {
  const { totalElements } = await createCalls({ signal }).segments.query({
    filter: JSON.parse(text),
    size: 0,
  });
  return totalElements;
};

/**
 * Counts the customers who match each condition and each nested group in a filter.
 * @param recountKey a number that callers increment to recount all parts.
 */
export function useFilterCounts(tree: Group, recountKey: number): NodeCounts {
  const [countsByText, setCountsByText] = useState<ReadonlyMap<string, Count>>(new Map());
  const counts = useRef<FilterCounts | null>(null);
  const [, ...inner] = listGroups(tree);
  const parts = listGroups(tree).flatMap(({ leaves }) =>
    leaves.map((leaf) => [leaf.id, buildLeafFilter(leaf)] as const),
  );
  const texts = [...parts, ...inner.map((group) => [group.id, buildFilter(group)] as const)].flatMap(
    ([id, filter]) => (filter === null ? [] : [[id, JSON.stringify(filter)] as const]),
  );
  const requestedTexts = hasScopes("segment:read") ? texts.map(([, text]) => text) : [];
  useEffect(() => {
    counts.current = new FilterCounts(countMatches, setCountsByText);
    return () => counts.current?.stop();
  }, []);
  useEffect(() => counts.current?.request(requestedTexts), [requestedTexts.join("\n")]);
  useEffect(() => {
    if (recountKey > 0) counts.current?.refresh();
  }, [recountKey]);
  return new Map(
    texts.flatMap(([id, text]) => {
      const count = countsByText.get(text);
      return count === undefined ? [] : [[id, count] as const];
    }),
  );
}
