import { Select } from "../components/field.js";
import { customers as words } from "../words/en/customers.js";
import type { CustomerListQuery } from "./list-query.js";

interface SegmentFilterProps {
  readonly query: CustomerListQuery;
  readonly segments: readonly { readonly slug: string; readonly name: string }[];
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
}

/** A control that filters the list by a saved segment. Choosing a segment clears the search text. */
export function SegmentFilter({ query, segments, onChange }: SegmentFilterProps) {
  const isGone = query.segment !== "" && !segments.some(({ slug }) => slug === query.segment);
  return (
    <Select
      class="narrow"
      aria-label={words.inSegment}
      value={query.segment}
      choices={[
        ["", words.anySegment],
        ...segments.map(({ slug, name }) => [slug, name] as const),
        ...(isGone ? [[query.segment, query.segment] as const] : []),
      ]}
      onChoose={(segment) => onChange({ segment })}
    />
  );
}
