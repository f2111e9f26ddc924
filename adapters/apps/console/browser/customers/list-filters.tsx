import type { Template } from "../../../../../src/cards/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { Button } from "../components/button.js";
import type { Choices } from "../components/choices.js";
import { Dialog } from "../components/dialog.js";
import { CountField, Field, Select, type SelectProps, TextInput, toChoices } from "../components/field.js";
import { customers as words } from "../words/en/customers.js";
import { countFilters, noFilter, rewardChoices, visitChoices } from "./list-filter.js";
import { type CustomerListQuery, sortChoices } from "./list-query.js";

interface ListFiltersProps {
  readonly query: CustomerListQuery;
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly segments: readonly { readonly slug: string; readonly name: string }[];
  /** Whether each control has a visible label. If not, only screen readers get the labels. */
  readonly isLabeled?: boolean;
  readonly onChange: (part: Partial<CustomerListQuery>) => void;
}

/** Controls for the list's filters. Customers must match all filters that are set. */
export function ListFilters(props: ListFiltersProps) {
  const { query, tags, segments, isLabeled = false, onChange } = props;
  return (
    <>
      {hasScopes("template:read") && <StampFilter {...props} isLabeled={isLabeled} />}
      {hasScopes("segment:read", "user_tag:read") && (
        <FilterSelect
          label={words.withTag}
          isLabeled={isLabeled}
          value={query.tag}
          choices={listSlugChoices(words.anyTag, tags, query.tag)}
          onChoose={(tag) => onChange({ tag })}
        />
      )}
      {hasScopes("segment:read", "pass:read") && (
        <>
          <FilterSelect
            label={words.lastVisit}
            isLabeled={isLabeled}
            value={query.visit}
            choices={visitChoices}
            onChoose={(visit) => onChange({ visit })}
          />
          <FilterSelect
            label={words.reward}
            isLabeled={isLabeled}
            value={query.reward}
            choices={rewardChoices}
            onChoose={(reward) => onChange({ reward })}
          />
        </>
      )}
      {hasScopes("segment:read") && (
        <FilterSelect
          label={words.inSegment}
          isLabeled={isLabeled}
          value={query.segment}
          choices={listSlugChoices(words.anySegment, segments, query.segment)}
          onChoose={(segment) => onChange({ segment })}
        />
      )}
    </>
  );
}

/** Lists the choices of a filter by tag or segment. A selected tag or segment that was deleted stays a choice. */
function listSlugChoices(
  anyText: string,
  resources: readonly { readonly slug: string; readonly name: string }[],
  selected: string,
): Choices<string> {
  const isDeleted = selected !== "" && !resources.some(({ slug }) => slug === selected);
  return [
    ["", anyText],
    ...resources.map(({ slug, name }) => [slug, name] as const),
    ...(isDeleted ? [[selected, selected] as const] : []),
  ];
}

interface FilterSelectProps<Value extends string> extends SelectProps<Value> {
  readonly label: string;
  readonly isLabeled: boolean;
}

function FilterSelect<Value extends string>({ label, isLabeled, ...select }: FilterSelectProps<Value>) {
  return isLabeled ? (
    <Field label={label}>
      <Select {...select} />
    </Field>
  ) : (
    <Select class="narrow" aria-label={label} {...select} />
  );
}

/** Controls that filter the list by card and by the number of stamps on the card. */
function StampFilter({
  query,
  templates,
  isLabeled,
  onChange,
}: ListFiltersProps & { readonly isLabeled: boolean }) {
  const cards = templates.filter(({ type }) => type === "STAMP_CARD");
  const renderBound = (name: "minStamps" | "maxStamps", label: string, placeholder: string) => {
    const value = query[name];
    const changeBound = (text: string) => onChange({ [name]: text.replace(/[^0-9]/g, "").slice(0, 6) });
    if (isLabeled) return <CountField label={label} value={value} onText={changeBound} />;
    return (
      <TextInput
        class="bound"
        type="number"
        inputMode="numeric"
        min={0}
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onText={changeBound}
      />
    );
  };
  return (
    <div class={isLabeled ? "stack" : "stamp-filter"}>
      <FilterSelect
        label={words.withCard}
        isLabeled={isLabeled}
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

interface FilterDialogProps extends ListFiltersProps {
  /** Number of customers who match. */
  readonly total: number;
  readonly onClose: () => void;
}

/** A dialog with all filters and the sort order, for phones. Changes apply immediately. */
export function FilterDialog({ total, onClose, ...filters }: FilterDialogProps) {
  const { query, onChange } = filters;
  return (
    <Dialog title={words.filterTitle} onClose={onClose}>
      <ListFilters {...filters} isLabeled />
      <Field label={words.sortBy}>
        <Select value={query.sort} choices={sortChoices} onChoose={(sort) => onChange({ sort })} />
      </Field>
      <div class="actions">
        <Button
          text={words.clearFilters}
          disabled={countFilters(query) === 0}
          onClick={() => onChange(noFilter)}
        />
        <Button text={words.showCount(total)} kind="primary" onClick={onClose} />
      </div>
    </Dialog>
  );
}
