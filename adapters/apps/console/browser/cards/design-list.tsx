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
  readonly most: number;
  /** Returns the error message for a path within the list, such as `0.label`. */
  readonly errorOf: (path: string) => string | undefined;
  /**
   * Called with all items after a change.
   * @param path the path of the changed text, or an empty string if an item was added or removed.
   */
  readonly onChange: (items: readonly Readonly<Record<Name, string>>[], path: string) => void;
}

/** An editor for a list whose items consist of text fields. The user can add, change, and remove items. */
export function DesignList<Name extends string>({
  words,
  texts,
  items,
  most,
  errorOf,
  onChange,
  ...rest
}: DesignListProps<Name>) {
  const blank: Readonly<Record<Name, string>> = fromEntries(texts.map(({ name }) => [name, ""]));
  return (
    <div class="stack tight">
      {items.map((item, at) => (
        <fieldset class={rest.class} key={at}>
          <legend class="unseen">{words.item(at + 1)}</legend>
          {texts.map(({ name, label, ...input }) => (
            <TextField
              key={name}
              label={label(at + 1)}
              error={errorOf(`${at}.${name}`)}
              {...input}
              value={item[name]}
              onText={(text) =>
                onChange(
                  items.map((each, other) => (other === at ? { ...each, [name]: text } : each)),
                  `${at}.${name}`,
                )
              }
            />
          ))}
          <Button
            label={words.remove(at + 1)}
            onClick={() =>
              onChange(
                items.filter((_, other) => other !== at),
                "",
              )
            }
          >
            ×
          </Button>
        </fieldset>
      ))}
      {items.length < most && (
        <div>
          <Button text={words.add} onClick={() => onChange([...items, blank], "")} />
        </div>
      )}
    </div>
  );
}
