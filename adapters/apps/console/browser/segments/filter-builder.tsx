import { FilterGroup } from "./filter-group.js";
import type { FilterOptions } from "./filter-options.js";
import { optionNames } from "./filter-options.js";
import { formatSentence } from "./filter-sentence.js";
import { type Group, updateGroup } from "./filter-tree.js";
import { useFilterCounts } from "./use-filter-counts.js";

interface FilterBuilderProps {
  readonly tree: Group;
  readonly lists: FilterOptions;
  /** A number that triggers a recount of all parts whenever it changes. */
  readonly turn?: number;
  readonly onChange: (change: (tree: Group) => Group) => void;
}

/**
 * An editor for a filter. Shows how many customers match each condition and each nested group, and describes the whole filter in a
 * sentence.
 */
export function FilterBuilder({ tree, lists, turn = 0, onChange }: FilterBuilderProps) {
  const counts = useFilterCounts(tree, turn);
  return (
    <div class="stack tight">
      <p class="sentence">
        <bdi>{formatSentence(tree, optionNames(lists))}</bdi>
      </p>
      <FilterGroup
        group={tree}
        lists={lists}
        counts={counts}
        level={1}
        onChange={(id, change) => onChange((before) => updateGroup(before, id, change))}
      />
    </div>
  );
}
