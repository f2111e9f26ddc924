import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { fromEntries } from "../components/form-record.js";

/**
 * A text field that every list item has. `name` is its key in the item and in error paths. Its label can depend on the item's
 * number.
 */
export interface ItemText<Name extends string> {
  readonly name: Name;
  readonly label: (number: number) => string;
  readonly inputMode?: "decimal" | "text";
}

interface ListWords {
  readonly item: (number: number) => string;
  readonly add: string;
  readonly remove: (number: number) => string;
}

interface DesignListProps<Name extends string> {
  /** UI text for the list. The text for an item depends on its number. */
  readonly words: ListWords;
  readonly class: string;
  readonly texts: readonly ItemText<Name>[];
  readonly items: readonly Readonly<Record<Name, string>>[];
  readonly maxItems: number;
  /** Returns the error message for a path within the list, such as `0.label`. */
  readonly findError: (path: string) => string | undefined;
  /**
   * Called with all items after a change.
   * @param path the path of the changed text, or an empty string if an item was added or removed.
   */
  readonly onChange: (items: readonly Readonly<Record<Name, string>>[], path: string) => void;
}

/** An editor for a list of items that consist of text fields. The user can add, change, and remove items. */
export function DesignList<Name extends string>({
  words,
  texts,
  items,
  maxItems,
  findError,
  onChange,
  ...rest
}: DesignListProps<Name>) {
  const blankItem: Readonly<Record<Name, string>> = fromEntries(texts.map(({ name }) => [name, ""]));
  return (
    <div class="stack tight">
      {items.map((item, index) => (
        <fieldset class={rest.class} key={index}>
          <legend class="unseen">{words.item(index + 1)}</legend>
          {texts.map(({ name, label, ...input }) => (
            <TextField
              key={name}
              label={label(index + 1)}
              error={findError(`${index}.${name}`)}
              {...input}
              value={item[name]}
              onText={(text) =>
                onChange(
                  items.map((each, otherIndex) => (otherIndex === index ? { ...each, [name]: text } : each)),
                  `${index}.${name}`,
                )
              }
            />
          ))}
          <Button
            label={words.remove(index + 1)}
            onClick={() =>
              onChange(
                items.filter((_, otherIndex) => otherIndex !== index),
                "",
              )
            }
          >
            ×
          </Button>
        </fieldset>
      ))}
      {items.length < maxItems && (
        <div>
          <Button text={words.add} onClick={() => onChange([...items, blankItem], "")} />
        </div>
      )}
    </div>
  );
}
