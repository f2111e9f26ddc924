import type { Template } from "../../../../src/resources/template.js";
import type { ContactQuery } from "./contact-list.js";

interface StampFilterProps {
  readonly query: ContactQuery;
  readonly templates: readonly Template[];
  readonly onChange: (part: Partial<ContactQuery>) => void;
}

/** Only those with a card, and with so many stamps on it. */
export function StampFilter({ query, templates, onChange }: StampFilterProps) {
  const cards = templates.filter(({ type }) => type === "STAMP_CARD");
  if (cards.length === 0) return null;
  const bound = (name: "minStamps" | "maxStamps", label: string, placeholder: string) => (
    <input
      class="bound"
      type="number"
      inputMode="numeric"
      min="0"
      aria-label={label}
      placeholder={placeholder}
      value={query[name]}
      onInput={(event) => onChange({ [name]: event.currentTarget.value.replace(/[^0-9]/g, "").slice(0, 6) })}
    />
  );
  return (
    <div class="stamp-filter">
      <select
        class="narrow"
        aria-label="With this card"
        value={query.templateId}
        onChange={(event) => onChange({ templateId: event.currentTarget.value })}
      >
        <option value="">Any card or none</option>
        {cards.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {query.templateId !== "" && (
        <>
          {bound("minStamps", "Stamps at least", "from")}
          {bound("maxStamps", "Stamps at most", "to")}
        </>
      )}
    </div>
  );
}
