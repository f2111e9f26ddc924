import { useState } from "preact/hooks";
import type { LineFilter } from "../../../../../../src/cards/program-schema.js";
import { Button } from "../../components/button.js";
import { Field, Select } from "../../components/field.js";
import { Icon } from "../../components/icons.js";
import { filterLists, lineFilter as words } from "../../words/en/card-program.js";

type ListName = (typeof filterLists)[number][0];

interface LineFilterFieldsProps {
  /** Which lines a rule or bonus is for. `undefined` stands for all lines. */
  readonly filter: LineFilter | undefined;
  /** Returns the error message for a list, such as `categories`. */
  readonly findError: (list: string) => string | undefined;
  readonly onChange: (filter: LineFilter | undefined) => void;
}

/** An editor for the products that a rule or bonus is for. */
export function LineFilterFields({ filter = {}, findError, onChange }: LineFilterFieldsProps) {
  /** Lists that the user has opened and that may still be empty. An empty list in the filter matches nothing, so it isn't there. */
  const [openLists, setOpenLists] = useState<readonly ListName[]>([]);
  const setList = (name: ListName, texts: string[] | undefined) => {
    const entries = Object.entries({ ...filter, [name]: texts }).filter(([, list]) => list !== undefined);
    onChange(entries.length === 0 ? undefined : Object.fromEntries(entries));
  };
  const isShown = (name: ListName) => filter[name] !== undefined || openLists.includes(name);
  const shownLists = filterLists.filter(([name]) => isShown(name));
  const hiddenLists = filterLists.filter(([name]) => !isShown(name));
  return (
    <div class="stack tight">
      {shownLists.map(([name, label]) => (
        <ChipList
          key={name}
          label={label}
          texts={filter[name]}
          error={findError(name)}
          onChange={(texts) => {
            setOpenLists([...openLists, name]);
            setList(name, texts.length === 0 ? undefined : texts);
          }}
          onRemove={() => {
            setOpenLists(openLists.filter((each) => each !== name));
            setList(name, undefined);
          }}
        />
      ))}
      {hiddenLists.length > 0 && (
        <Field label={words.limit}>
          <Select<ListName | "">
            value=""
            choices={[["", shownLists.length === 0 ? words.everything : words.add], ...hiddenLists]}
            onChoose={(name) => name !== "" && setOpenLists([...openLists, name])}
          />
        </Field>
      )}
    </div>
  );
}

interface ChipListProps {
  readonly label: string;
  /** `undefined` if the filter doesn't have the list. */
  readonly texts: readonly string[] | undefined;
  readonly error: string | undefined;
  readonly onChange: (texts: string[]) => void;
  readonly onRemove: () => void;
}

/** A list of texts. What the user types joins the list on Enter, and when the focus leaves. */
function ChipList({ label, texts: savedTexts, error, onChange, onRemove }: ChipListProps) {
  const [typed, setTyped] = useState("");
  const texts = savedTexts ?? [];
  const addTyped = () => {
    const text = typed.trim();
    setTyped("");
    if (text !== "" && !texts.includes(text)) onChange([...texts, text]);
  };
  return (
    <div class="chip-list">
      <Field
        label={label}
        hint={savedTexts?.length === 0 ? words.matchesNothing : words.chipHint}
        error={error}
      >
        <input
          value={typed}
          maxLength={100}
          autocomplete="off"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={addTyped}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            addTyped();
          }}
        />
      </Field>
      <Button kind="plain" label={words.removeList(label)} onClick={onRemove}>
        <Icon name="close" />
      </Button>
      {texts.length > 0 && (
        <ul class="row">
          {texts.map((text) => (
            <li key={text} class="chip">
              <bdi>{text}</bdi>
              <button
                type="button"
                aria-label={words.removeText(text)}
                onClick={() => onChange(texts.filter((each) => each !== text))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
