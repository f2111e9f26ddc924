import type { Template } from "../../../../../src/cards/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import type { Choices } from "../components/choices.js";
import { Select, TextInput, toChoices } from "../components/field.js";
import { customers as words } from "../words/en/customers.js";
import { rewardChoices, visitChoices } from "./list-filter.js";
import type { CustomerListQuery } from "./list-query.js";

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
  const isDeleted = tag !== "" && !tags.some(({ slug }) => slug === tag);
  const tagChoices: Choices<string> = [
    ["", words.anyTag],
    ...tags.map(({ slug, name }) => [slug, name] as const),
    ...(isDeleted ? [[tag, tag] as const] : []),
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

interface SegmentFilterProps {
  readonly query: CustomerListQuery;
  readonly segments: readonly { readonly slug: string; readonly name: string }[];
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
}

/** A control that filters the list by a saved segment. Choosing a segment clears the search text. */
function SegmentFilter({ query, segments, onChange }: SegmentFilterProps) {
  const isDeleted = query.segment !== "" && !segments.some(({ slug }) => slug === query.segment);
  return (
    <Select
      class="narrow"
      aria-label={words.inSegment}
      value={query.segment}
      choices={[
        ["", words.anySegment],
        ...segments.map(({ slug, name }) => [slug, name] as const),
        ...(isDeleted ? [[query.segment, query.segment] as const] : []),
      ]}
      onChoose={(segment) => onChange({ segment })}
    />
  );
}

interface StampFilterProps {
  readonly query: CustomerListQuery;
  readonly templates: readonly Template[];
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
}

/** Controls that filter the list by card and by the number of stamps on the card. */
function StampFilter({ query, templates, onChange }: StampFilterProps) {
  const cards = templates.filter(({ type }) => type === "STAMP_CARD");
  const renderBound = (name: "minStamps" | "maxStamps", label: string, placeholder: string) => (
    <TextInput
      class="bound"
      type="number"
      inputMode="numeric"
      min={0}
      aria-label={label}
      placeholder={placeholder}
      value={query[name]}
      onText={(text) => onChange({ [name]: text.replace(/[^0-9]/g, "").slice(0, 6) })}
    />
  );
  return (
    <div class="stamp-filter">
      <Select
        class="narrow"
        aria-label={words.withCard}
        value={query.templateId}
        choices={[["", words.anyCard], ...toChoices(cards)]}
        onChoose={(templateId) => onChange({ templateId })}
      />
      {query.templateId !== "" && (
        <>
          {renderBound("minStamps", words.stampsAtLeast, words.from)}
          {renderBound("maxStamps", words.stampsAtMost, words.to)}
        </>
      )}
    </div>
  );
}
