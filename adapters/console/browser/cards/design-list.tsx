import { Button } from "../components/button.js";
import { TextField } from "../components/field.js";
import { fromEntries } from "../components/form-record.js";

/** One text of an item: its name in the item and in errors, and its label, which is given the number of the item. */
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
  /** The words for an item, by its number, and for adding one. */
  readonly words: ListWords;
  readonly class: string;
  readonly texts: readonly ItemText<Name>[];
  readonly items: readonly Readonly<Record<Name, string>>[];
  readonly most: number;
  /** Returns the error at a path in the list, such as `0.label`. */
  readonly errorOf: (path: string) => string | undefined;
  /** @param path empty when an item came or went. */
  readonly onChange: (items: readonly Readonly<Record<Name, string>>[], path: string) => void;
}

/** A list of items that are texts, to be changed, added and removed. */
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
