import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { fromEntries } from "../components/form-record.js";

/** A text field of a list item: its name in the item and in errors, and its label, which depends on the item's number. */
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
  /** UI text for an item, given its number, and for the button that adds an item. */
  readonly words: ListWords;
  readonly class: string;
  readonly texts: readonly ItemText<Name>[];
  readonly items: readonly Readonly<Record<Name, string>>[];
  readonly most: number;
  /** Returns the error at a path in the list, such as `0.label`. */
  readonly errorOf: (path: string) => string | undefined;
  /** @param path the changed text's path; empty if an item was added or removed. */
  readonly onChange: (items: readonly Readonly<Record<Name, string>>[], path: string) => void;
}

/** Edits a list of items that consist of texts. Items can be changed, added and removed. */
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
