import { useEffect, useRef, useState } from "preact/hooks";
import type { LeafName } from "../../../../../src/segments/leaf-schema.js";
import { createCalls } from "../api/calls.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import { Dialog, DialogButton } from "../components/dialog.js";
import { Select } from "../components/field.js";
import { Icon } from "../components/icons.js";
import { builder, kindWords, operators, sections, singleOperators } from "../words/en/segment-builder.js";
import { type Count, FilterCounts } from "./filter-counts.js";
import { type FilterOptions, optionNames } from "./filter-options.js";
import { formatSentence } from "./filter-sentence.js";
import {
  buildFilter,
  buildLeafFilter,
  createGroup,
  createLeaf,
  type Group,
  isFinished,
  listGroups,
  MAX_LEVELS,
  updateGroup,
} from "./filter-tree.js";
import { LeafRow } from "./leaf-row.js";
import { MatchCount } from "./match-count.js";

interface FilterBuilderProps {
  readonly tree: Group;
  readonly lists: FilterOptions;
  /** A number that triggers a recount of all parts whenever it changes. */
  readonly recountKey?: number;
  readonly onChange: (change: (tree: Group) => Group) => void;
}

/**
 * An editor for a filter. Shows how many customers match each condition and each nested group, and describes the whole filter in a
 * sentence.
 */
export function FilterBuilder({ tree, lists, recountKey = 0, onChange }: FilterBuilderProps) {
  const counts = useFilterCounts(tree, recountKey);
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
        onChange={(id, change) => onChange((previous) => updateGroup(previous, id, change))}
      />
    </div>
  );
}

interface FilterGroupProps {
  readonly group: Group;
  readonly lists: FilterOptions;
  readonly counts: NodeCounts;
  /** The group's nesting level, starting from 1 for the whole filter. */
  readonly level: number;
  readonly onChange: (id: string, change: (group: Group) => Group | null) => void;
}

/** An editor for one group of a filter: its operator, its conditions, and its nested groups. */
function FilterGroup({ group, lists, counts, level, onChange }: FilterGroupProps) {
  const { id, operator, leaves, groups } = group;
  const [addedId, setAddedId] = useState<string | null>(null);
  const element = useRef<HTMLFieldSetElement>(null);
  const change = (part: (previous: Group) => Partial<Group>) =>
    onChange(id, (previous) => ({ ...previous, ...part(previous) }));
  const name = level === 1 ? builder.whole : builder.group(level);
  const partCount = leaves.length + groups.length;
  // One condition is combined with nothing: it matches, or it doesn't.
  const isSingle = level === 1 && partCount === 1;
  const isJoined = level > 1 || partCount > 0;
  return (
    <fieldset ref={element} class="filter-group" aria-label={name}>
      {isJoined && (
        <div class="group-head">
          <span>{isSingle ? builder.beginSingle : level === 1 ? builder.begin : builder.inner}</span>
          <Select
            class="narrow"
            aria-label={builder.operator(name)}
            value={isSingle && operator === "OR" ? "AND" : operator}
            choices={isSingle ? singleOperators : operators}
            onChoose={(choice) => change(() => ({ operator: choice }))}
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
      )}
      {leaves.map((leaf) => (
        <LeafRow
          key={leaf.id}
          leaf={leaf}
          lists={lists}
          count={counts.get(leaf.id)}
          isNew={leaf.id === addedId}
          onChange={(values) =>
            change((previous) => ({
              leaves: previous.leaves.map((each) => (each.id === leaf.id ? { ...each, values } : each)),
            }))
          }
          onRemove={() => {
            element.current?.querySelector<HTMLElement>(":scope > .row > .add-condition")?.focus();
            change((previous) => ({ leaves: previous.leaves.filter((each) => each.id !== leaf.id) }));
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
            const leaf = createLeaf(kind);
            setAddedId(leaf.id);
            change((previous) => ({ leaves: [...previous.leaves, leaf] }));
          }}
        />
        {isJoined && level < MAX_LEVELS && (
          <Button
            icon="plus"
            text={builder.addGroup}
            kind="plain"
            onClick={() =>
              change((previous) => ({
                groups: [...previous.groups, createGroup(previous.operator === "OR" ? "AND" : "OR")],
              }))
            }
          />
        )}
      </div>
    </fieldset>
  );
}

interface AddConditionProps {
  readonly lists: FilterOptions;
  readonly onAdd: (name: LeafName) => void;
}

/** A button that opens a dialog with the kinds of conditions. Choosing a kind adds a condition of that kind to the filter. */
function AddCondition({ lists, onAdd }: AddConditionProps) {
  const offeredSections = sections
    .map(([heading, names]) => [heading, names.filter((name) => lists.kinds.includes(name))] as const)
    .filter(([, names]) => names.length > 0);
  return (
    <DialogButton
      class="add-condition"
      icon="plus"
      text={builder.add}
      dialog={(close) => (
        <Dialog title={builder.add} isWide onClose={close}>
          {offeredSections.map(([heading, names]) => (
            <section key={heading} class="stack tight" aria-label={heading}>
              <h3 class="quiet">{heading}</h3>
              <div class="kinds">
                {names.map((name) => (
                  <button
                    key={name}
                    type="button"
                    class="button kind"
                    onClick={() => {
                      close();
                      onAdd(name);
                    }}
                  >
                    <span>{kindWords[name][0]}</span> <span class="hint">{kindWords[name][1]}</span>
                  </button>
                ))}
              </div>
            </section>
          ))}
        </Dialog>
      )}
    />
  );
}

/** The number of customers who match each part of a filter, keyed by part ID. */
type NodeCounts = ReadonlyMap<string, Count>;

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
function useFilterCounts(tree: Group, recountKey: number): NodeCounts {
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
