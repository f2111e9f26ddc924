import { useEffect, useRef, useState } from "preact/hooks";
import { callsWith } from "../api/calls.js";
import { may } from "../api/session.js";
import { type Count, FilterCounts } from "./filter-counts.js";
import { filterOf, filterOfLeaf, type Group, groupsOf } from "./filter-tree.js";

/** How many customers each part of a filter finds by itself, by the id of the part. */
export type PartCounts = ReadonlyMap<string, Count>;

const countOf = async (text: string, signal: AbortSignal) => {
  const { totalElements } = await callsWith({ signal }).segments.query({ filter: JSON.parse(text), size: 0 });
  return totalElements;
};

/** Counts each condition and each inner group of a filter. @param turn another one counts all anew. */
export function useFilterCounts(tree: Group, turn: number): PartCounts {
  const [known, setKnown] = useState<ReadonlyMap<string, Count>>(new Map());
  const counts = useRef<FilterCounts | null>(null);
  const [, ...inner] = groupsOf(tree);
  const parts = groupsOf(tree).flatMap(({ leaves }) =>
    leaves.map((leaf) => [leaf.id, filterOfLeaf(leaf)] as const),
  );
  const texts = [...parts, ...inner.map((group) => [group.id, filterOf(group)] as const)].flatMap(
    ([id, filter]) => (filter === null ? [] : [[id, JSON.stringify(filter)] as const]),
  );
  const wanted = may("segment:read") ? texts.map(([, text]) => text) : [];
  useEffect(() => {
    counts.current = new FilterCounts(countOf, setKnown);
    return () => counts.current?.stop();
  }, []);
  useEffect(() => counts.current?.want(wanted), [wanted.join("\n")]);
  useEffect(() => {
    if (turn > 0) counts.current?.again();
  }, [turn]);
  return new Map(
    texts.flatMap(([id, text]) => {
      const count = known.get(text);
      return count === undefined ? [] : [[id, count] as const];
    }),
  );
}
