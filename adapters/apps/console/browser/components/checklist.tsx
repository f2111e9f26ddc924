import { Check } from "./field.js";
import type { FormField } from "./form.js";

/** Creates a form field with one checkbox per value. Each checkbox can have a hint. */
export function createChecklistField<Value extends string>(
  legend: string,
  values: readonly Value[],
  { hints }: { readonly hints?: Readonly<Record<Value, string>> } = {},
): FormField<readonly Value[], readonly Value[]> {
  return {
    initial: [],
    parse: (selected) => selected,
    format: (savedValue) => savedValue,
    control: ({ value: selected, error, onChange }) => (
      <>
        <fieldset class="scopes">
          <legend class="label">{legend}</legend>
          {values.map((each) => (
            <Check
              key={each}
              isChecked={selected.includes(each)}
              hint={hints?.[each]}
              onChange={(isOn) =>
                onChange(isOn ? [...selected, each] : selected.filter((other) => other !== each))
              }
            >
              <code>{each}</code>
            </Check>
          ))}
        </fieldset>
        {error !== undefined && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
      </>
    ),
  };
}
