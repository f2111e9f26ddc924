import type { Choices } from "../components/choices.js";
import { Select, TextInput, toChoices } from "../components/field.js";
import { labels } from "../words/en/segment-conditions.js";
import type { FilterOptions } from "./filter-options.js";
import type { Control } from "./leaf-kind.js";

interface LeafControlProps {
  readonly control: Control;
  readonly value: string;
  readonly lists: FilterOptions;
  readonly onChange: (value: string) => void;
}

const slugChoices = (things: readonly { readonly slug: string; readonly name: string }[]) =>
  things.map(({ slug, name }) => [slug, name] as const);

/** Returns a control's choices, or `null` if the control is an input field. */
function listChoices(
  { type, choices }: Control,
  { tags, templates, segments }: FilterOptions,
): Choices<string> | null {
  if (type === "choice") return choices ?? [];
  if (type === "tag") return [["", labels.noTag], ...slugChoices(tags)];
  if (type === "segment") return [["", labels.noSegment], ...slugChoices(segments)];
  if (type === "anyCard") return [["", labels.anyCard], ...toChoices(templates)];
  if (type !== "card") return null;
  return [["", labels.noCard], ...toChoices(templates.filter((template) => template.type === "STAMP_CARD"))];
}

/**
 * Renders one of a condition's controls. If the chosen card, tag, or segment has been deleted, it stays selected until the user
 * chooses another.
 */
export function LeafControl({ control, value, lists, onChange }: LeafControlProps) {
  const { type, label } = control;
  const choices = listChoices(control, lists);
  if (choices !== null) {
    const isGone = !choices.some(([each]) => each === value);
    return (
      <Select
        class="narrow"
        aria-label={label}
        value={value}
        choices={
          isGone ? [...choices, [value, type === "tag" || type === "segment" ? value : labels.gone]] : choices
        }
        onChoose={onChange}
      />
    );
  }
  if (type === "number" || type === "decimal") {
    return (
      <TextInput
        class="bound"
        type="number"
        inputMode={type === "number" ? "numeric" : "decimal"}
        {...(type === "number" && { min: 0 })}
        aria-label={label}
        value={value}
        onText={onChange}
      />
    );
  }
  const isDay = type === "date" && (value === "" || /^\d{4}-\d\d-\d\d$/.test(value));
  return (
    <TextInput
      class={isDay ? "day" : "short"}
      type={isDay ? "date" : "text"}
      aria-label={label}
      spellcheck={false}
      maxLength={200}
      {...(type === "key" && { placeholder: labels.keyHint })}
      value={value}
      onText={onChange}
    />
  );
}
