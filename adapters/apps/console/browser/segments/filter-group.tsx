import { useRef, useState } from "preact/hooks";
import { Button } from "../components/button.js";
import { Select } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { builder, operators } from "../words/en/segment-builder.js";
import { AddCondition } from "./add-condition.js";
import type { FilterOptions } from "./filter-options.js";
import { type Group, isFinished, MAX_LEVELS, newGroup, newLeaf } from "./filter-tree.js";
import { LeafRow } from "./leaf-row.js";
import { MatchCount } from "./match-count.js";
import type { NodeCounts } from "./use-filter-counts.js";

interface FilterGroupProps {
  readonly group: Group;
  readonly lists: FilterOptions;
  readonly counts: NodeCounts;
  /** The group's nesting level, starting from 1 for the whole filter. */
  readonly level: number;
  readonly onChange: (id: string, change: (group: Group) => Group | null) => void;
}

/** An editor for one group of a filter: its operator, its conditions, and its nested groups. */
export function FilterGroup({ group, lists, counts, level, onChange }: FilterGroupProps) {
  const { id, operator, leaves, groups } = group;
  const [added, setAdded] = useState<string | null>(null);
  const element = useRef<HTMLFieldSetElement>(null);
  const change = (part: (before: Group) => Partial<Group>) =>
    onChange(id, (before) => ({ ...before, ...part(before) }));
  const name = level === 1 ? builder.whole : builder.group(level);
  return (
    <fieldset ref={element} class="filter-group" aria-label={name}>
      <div class="group-head">
        <span>{level === 1 ? builder.begin : builder.inner}</span>
        <Select
          class="narrow"
          aria-label={builder.operator(name)}
          value={operator}
          choices={operators}
          onChoose={(chosen) => change(() => ({ operator: chosen }))}
        />
        {level > 1 && (
          <>
            <span class="grow" />
            <MatchCount count={counts.get(id)} isUnfinished={!isFinished(group)} />
            <Button kind="plain" label={builder.removeGroup(name)} onClick={() => onChange(id, () => null)}>
              <Icon name="close" />
            </Button>
          </>
        )}
      </div>
      {leaves.map((leaf) => (
        <LeafRow
          key={leaf.id}
          leaf={leaf}
          lists={lists}
          count={counts.get(leaf.id)}
          isNew={leaf.id === added}
          onChange={(values) =>
            change((before) => ({
              leaves: before.leaves.map((each) => (each.id === leaf.id ? { ...each, values } : each)),
            }))
          }
          onRemove={() => {
            element.current?.querySelector<HTMLElement>(":scope > .row > .add-condition")?.focus();
            change((before) => ({ leaves: before.leaves.filter((each) => each.id !== leaf.id) }));
          }}
        />
      ))}
      {groups.map((inner) => (
        <FilterGroup
          key={inner.id}
          group={inner}
          lists={lists}
          counts={counts}
          level={level + 1}
          onChange={onChange}
        />
      ))}
      <div class="row">
        <AddCondition
          lists={lists}
          onAdd={(kind) => {
            const leaf = newLeaf(kind);
            setAdded(leaf.id);
            change((before) => ({ leaves: [...before.leaves, leaf] }));
          }}
        />
        {level < MAX_LEVELS && (
          <Button
            icon="plus"
            text={builder.addGroup}
            kind="plain"
            onClick={() =>
              change((before) => ({
                groups: [...before.groups, newGroup(before.operator === "OR" ? "AND" : "OR")],
              }))
            }
          />
        )}
      </div>
    </fieldset>
  );
}
