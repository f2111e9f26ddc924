import { useState } from "preact/hooks";
import type { User } from "../../../../../src/customers/schema.js";
import { Select } from "../components/field.js";
import { why } from "../words/en/segment-explanations.js";
import { useFilterOptions } from "./filter-options.js";
import { WhyDialog } from "./why-dialog.js";

/** Lets the user choose a segment and then explains why the customer is or isn't in it. */
export function CustomerSegments({ customer }: { readonly customer: User }) {
  const lists = useFilterOptions();
  const [chosen, setChosen] = useState<string | null>(null);
  const segments = lists.value?.segments ?? [];
  const segment = segments.find(({ slug }) => slug === chosen);
  if (lists.value === null || segments.length === 0) return null;
  return (
    <section class="panel padded stack" aria-label={why.panel}>
      <h2>{why.panel}</h2>
      <p class="quiet">{why.hint}</p>
      <Select
        aria-label={why.choose}
        value=""
        choices={[["", why.choose], ...segments.map(({ slug, name }) => [slug, name] as const)]}
        onChoose={(slug) => setChosen(slug === "" ? null : slug)}
      />
      {segment !== undefined && (
        <WhyDialog
          segment={segment}
          customer={customer}
          lists={lists.value}
          onClose={() => setChosen(null)}
        />
      )}
    </section>
  );
}
