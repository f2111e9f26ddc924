import type { UserTag } from "../../../../src/resources/tag.js";
import { Button } from "../parts/button.js";
import { Icon } from "../parts/icons.js";
import { type Group, MAX_LEVELS, newGroup, type Operator } from "./filter-tree.js";

const operators: readonly { readonly value: Operator; readonly text: string }[] = [
  { value: "AND", text: "all of" },
  { value: "OR", text: "any of" },
  { value: "NOT", text: "none of" },
];

interface FilterGroupProps {
  readonly group: Group;
  readonly tags: readonly UserTag[];
  /** 1 for the whole filter. */
  readonly level: number;
  readonly onChange: (id: string, change: (group: Group) => Group | null) => void;
}

/** A group of a filter: how its parts go together, its tags, and the groups in it. */
export function FilterGroup({ group, tags, level, onChange }: FilterGroupProps) {
  const { id, operator, slugs, groups } = group;
  const change = (part: Partial<Group>) => onChange(id, (before) => ({ ...before, ...part }));
  const nameOf = (slug: string) => tags.find((tag) => tag.slug === slug)?.name ?? slug;
  const free = tags.filter(({ slug }) => !slugs.includes(slug));
  const name = level === 1 ? "Filter" : `Group at level ${level}`;
  return (
    <fieldset class="filter-group" aria-label={name}>
      <div class="row">
        <span>{level === 1 ? "Customers with" : "with"}</span>
        <select
          class="narrow"
          aria-label={`${name}: how its parts go together`}
          value={operator}
          onChange={(event) => {
            const chosen = operators.find(({ value }) => value === event.currentTarget.value);
            if (chosen !== undefined) change({ operator: chosen.value });
          }}
        >
          {operators.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
        {level > 1 && (
          <Button kind="plain" label={`Remove this group: ${name}`} onClick={() => onChange(id, () => null)}>
            <Icon name="close" />
          </Button>
        )}
      </div>
      {slugs.length > 0 && (
        <ul class="row">
          {slugs.map((slug) => (
            <li key={slug} class="chip">
              <span class="dot" style={{ "--dot": tags.find((tag) => tag.slug === slug)?.color ?? "" }} />
              <bdi>{nameOf(slug)}</bdi>
              <button
                type="button"
                aria-label={`Remove ${nameOf(slug)}`}
                onClick={() => change({ slugs: slugs.filter((each) => each !== slug) })}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {groups.map((inner) => (
        <FilterGroup key={inner.id} group={inner} tags={tags} level={level + 1} onChange={onChange} />
      ))}
      <div class="row">
        <select
          class="narrow"
          aria-label={`${name}: add a tag`}
          value=""
          disabled={free.length === 0}
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = "";
            if (value !== "") change({ slugs: [...slugs, value] });
          }}
        >
          <option value="">Add a tag…</option>
          {free.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name}
            </option>
          ))}
        </select>
        {level < MAX_LEVELS && (
          <Button
            kind="plain"
            onClick={() => change({ groups: [...groups, newGroup(operator === "OR" ? "AND" : "OR")] })}
          >
            <Icon name="plus" /> Add a group
          </Button>
        )}
      </div>
    </fieldset>
  );
}
