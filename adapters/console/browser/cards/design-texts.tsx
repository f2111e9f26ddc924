import type { DesignTexts } from "../../../../src/resources/design.js";
import { Button } from "../parts/button.js";
import { Field } from "../parts/field.js";
import { PairList } from "./pair-list.js";

interface DesignTextsProps {
  readonly texts: DesignTexts;
  /** Which of the languages it is; the first is that of everybody else. */
  readonly at: number;
  /** What is wrong with a text, by its name. */
  readonly errorOf: (name: string) => string | undefined;
  readonly onChange: (texts: DesignTexts, name: string) => void;
  readonly onRemove: () => void;
}

const lines = [
  ["title", "Title", "The name of the card unless given"],
  ["description", "Description", "Read out in place of the picture"],
  ["toGo", "What is missing", "With {count} in it, such as “{count} more to go”"],
  ["rewardReady", "A reward is waiting", "What a full card says"],
] as const;

/** What the card says in one language. */
export function DesignTextsFields({ texts, at, errorOf, onChange, onRemove }: DesignTextsProps) {
  return (
    <fieldset class="stack tight panel padded">
      <legend class="unseen">Language {at + 1}</legend>
      <Field
        label="Language"
        hint={
          at === 0
            ? "Such as en or pt-BR. Who speaks none of the others reads it, too."
            : "Such as en or pt-BR"
        }
        error={errorOf("language")}
      >
        <input
          value={texts.language}
          onInput={(event) => onChange({ ...texts, language: event.currentTarget.value }, "language")}
        />
      </Field>
      {lines.map(([name, label, hint]) => (
        <Field key={name} label={label} hint={hint} error={errorOf(name)}>
          <input
            value={texts[name] ?? ""}
            onInput={(event) => onChange({ ...texts, [name]: event.currentTarget.value }, name)}
          />
        </Field>
      ))}
      <PairList
        noun="Front line"
        valueLabel="Says"
        pairs={texts.front}
        most={4}
        errorOf={(line, text) => errorOf(`front.${line}.${text}`)}
        onChange={(front, line) => onChange({ ...texts, front: [...front] }, `front.${line}`)}
      />
      <PairList
        noun="Back line"
        valueLabel="Says"
        pairs={texts.back}
        most={20}
        errorOf={(line, text) => errorOf(`back.${line}.${text}`)}
        onChange={(back, line) => onChange({ ...texts, back: [...back] }, `back.${line}`)}
      />
      <Field label="Terms" error={errorOf("terms")}>
        <textarea
          rows={3}
          value={texts.terms ?? ""}
          onInput={(event) => onChange({ ...texts, terms: event.currentTarget.value }, "terms")}
        />
      </Field>
      <div>
        <Button kind="plain" onClick={onRemove}>
          Remove language {at + 1}
        </Button>
      </div>
    </fieldset>
  );
}
