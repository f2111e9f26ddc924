import type { UserTag } from "../../../../src/resources/tag.js";
import { Button } from "../parts/button.js";
import { type Choices, Select } from "../parts/field.js";
import { Icon } from "../parts/icons.js";
import { TagChip } from "../parts/tag-chip.js";
import { type Group, MAX_LEVELS, newGroup, type Operator } from "./filter-tree.js";

const operators: Choices<Operator> = [
  ["AND", "all of"],
  ["OR", "any of"],
  ["NOT", "none of"],
];

interface FilterGroupProps {
  readonly group: Group;
  readonly tags: readonly UserTag[];
  /** 1 for the whole filter. */
  readonly level: number;
  readonly onChange: (id: string, change: (group: Group) => Group | null) => void;
}

/** A group of a filter: its operator, its tags, and the groups in it. */
export function FilterGroup({ group, tags, level, onChange }: FilterGroupProps) {
  const { id, operator, slugs, groups } = group;
  const change = (part: Partial<Group>) => onChange(id, (before) => ({ ...before, ...part }));
  const free = tags.filter(({ slug }) => !slugs.includes(slug));
  const name = level === 1 ? "Filter" : `Group at level ${level}`;
  return (
    <fieldset class="filter-group" aria-label={name}>
      <div class="row">
        <span>{level === 1 ? "Customers with" : "with"}</span>
        <Select
          class="narrow"
          aria-label={`${name}: how its parts go together`}
          value={operator}
          choices={operators}
          onChoose={(chosen) => change({ operator: chosen })}
        />
        {level > 1 && (
          <Button kind="plain" label={`Remove this group: ${name}`} onClick={() => onChange(id, () => null)}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      {slugs.length > 0 && (
        <ul class="row">
          {slugs.map((slug) => {
            const tag = tags.find((each) => each.slug === slug) ?? { name: slug, color: "" };
            return (
              <TagChip
                key={slug}
                tag={tag}
                label={`Remove ${tag.name}`}
                onRemove={() => change({ slugs: slugs.filter((each) => each !== slug) })}
              />
            );
          })}
        </ul>
      )}
      {groups.map((inner) => (
        <FilterGroup key={inner.id} group={inner} tags={tags} level={level + 1} onChange={onChange} />
      ))}
      <div class="row">
        <Select
          class="narrow"
          aria-label={`${name}: add a tag`}
          value=""
          choices={[["", "Add a tag…"], ...free.map(({ slug, name }) => [slug, name] as const)]}
          disabled={free.length === 0}
          onChoose={(slug) => slug !== "" && change({ slugs: [...slugs, slug] })}
        />
        {level < MAX_LEVELS && (
          <Button
            icon="plus"
            text="Add a group"
            kind="plain"
            onClick={() => change({ groups: [...groups, newGroup(operator === "OR" ? "AND" : "OR")] })}
          />
        )}
      </div>
    </fieldset>
  );
}
