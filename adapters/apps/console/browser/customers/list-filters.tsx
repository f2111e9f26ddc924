import type { Template } from "../../../../../src/cards/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import type { Choices } from "../components/choices.js";
import { Select } from "../components/field.js";
import { customers as words } from "../words/en/customers.js";
import { rewardChoices, visitChoices } from "./list-filter.js";
import type { CustomerListQuery } from "./list-query.js";
import { SegmentFilter } from "./segment-filter.js";
import { StampFilter } from "./stamp-filter.js";

interface ListFiltersProps {
  readonly query: CustomerListQuery;
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly segments: readonly { readonly slug: string; readonly name: string }[];
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
}

/** Controls for the list's filters. Customers must match all filters that are set. */
export function ListFilters({ query, templates, tags, segments, onChange }: ListFiltersProps) {
  const { tag } = query;
  const isGone = tag !== "" && !tags.some(({ slug }) => slug === tag);
  const tagChoices: Choices<string> = [
    ["", words.anyTag],
    ...tags.map(({ slug, name }) => [slug, name] as const),
    ...(isGone ? [[tag, tag] as const] : []),
  ];
  return (
    <>
      {hasScopes("template:read") && <StampFilter query={query} templates={templates} onChange={onChange} />}
      {hasScopes("segment:read", "user_tag:read") && (
        <Select
          class="narrow"
          aria-label={words.withTag}
          value={tag}
          choices={tagChoices}
          onChoose={(tag) => onChange({ tag })}
        />
      )}
      {hasScopes("segment:read", "pass:read") && (
        <>
          <Select
            class="narrow"
            aria-label={words.lastVisit}
            value={query.visit}
            choices={visitChoices}
            onChoose={(visit) => onChange({ visit })}
          />
          <Select
            class="narrow"
            aria-label={words.reward}
            value={query.reward}
            choices={rewardChoices}
            onChoose={(reward) => onChange({ reward })}
          />
        </>
      )}
      {hasScopes("segment:read") && <SegmentFilter query={query} segments={segments} onChange={onChange} />}
    </>
  );
}
