import type { Template } from "../../../../../src/cards/schema.js";
import { Select, TextInput, toChoices } from "../components/field.js";
import { customers as words } from "../words/en/customers.js";
import type { CustomerListQuery } from "./list-query.js";

interface StampFilterProps {
  readonly query: CustomerListQuery;
  readonly templates: readonly Template[];
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
}

/** Controls that filter the list by card and by the number of stamps on the card. */
export function StampFilter({ query, templates, onChange }: StampFilterProps) {
  const cards = templates.filter(({ type }) => type === "STAMP_CARD");
  const bound = (name: "minStamps" | "maxStamps", label: string, placeholder: string) => (
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
          {bound("minStamps", words.stampsAtLeast, words.from)}
          {bound("maxStamps", words.stampsAtMost, words.to)}
        </>
      )}
    </div>
  );
}
